import { defaultOptions } from './simulator.ts';

export const HELP = `Usage: node packages/simulator/src/main.ts [OPTIONS]

Stands in for a GPU runtime: it speaks vLLM's dialect of the convention, and its
answers are known beforehand. Each option is a variable too, as the README says.

Options:
  --host HOST              (${defaultOptions.host})
  --port PORT              0 takes any free one (${defaultOptions.port})
  --models MODELS          name[:reasoning][:context=N], commas between
  --slots N                generations at once; the rest wait (${defaultOptions.slots})
  --ttft-ms MS             until the first token (${defaultOptions.timeToFirstTokenMs})
  --itl-ms MS              between tokens (${defaultOptions.betweenTokensMs})
  --cache-blocks N         of the prefix cache, 16 tokens each (${defaultOptions.cacheBlocks})
  --reasoning-field NAME   reasoning_content, reasoning or both (${defaultOptions.reasoningField})
  --api-key KEY            asked of everything under /v1 (none)
  --help                   this text`;
