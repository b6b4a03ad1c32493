import { defaultOptions } from './simulator.ts';

export const HELP = `Usage: node packages/simulator/src/main.ts [OPTIONS]

A simulated GPU runtime with the HTTP API of vLLM. Its answers can be computed in
advance. Each option can also be set as an environment variable, see the README.

Options:
  --host HOST              (${defaultOptions.host})
  --port PORT              0 chooses a free one (${defaultOptions.port})
  --models MODELS          name[:reasoning][:context=N], separated by commas
  --slots N                generations at a time; others wait (${defaultOptions.slots})
  --ttft-ms MS             time to the first token (${defaultOptions.timeToFirstTokenMs})
  --itl-ms MS              time between two tokens (${defaultOptions.betweenTokensMs})
  --cache-blocks N         size of the prefix cache, in blocks of 16 tokens (${defaultOptions.cacheBlocks})
  --reasoning-field NAME   reasoning_content, reasoning or both (${defaultOptions.reasoningField})
  --api-key KEY            required for all requests under /v1 (none)
  --help                   this text`;
