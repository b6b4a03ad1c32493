import { byConversation, byPrompt, roundRobin, withPerfectKnowledge } from './rules.ts';
import { agentTrace, chatTrace, documentTrace, sharedPromptTrace } from './traces.ts';
import { runTrace } from './virtual-fleet.ts';

const WORKERS = 4;
const RULES = {
  oracle: { rule: withPerfectKnowledge, gateways: 1 },
  one_gateway: { rule: byPrompt, gateways: 1 },
  three_gateways: { rule: byPrompt, gateways: 3 },
  conversation_hash: { rule: byConversation, gateways: 1 },
  round_robin: { rule: roundRobin, gateways: 1 },
};

const SEEDS = [1, 2, 3];

// One line of JSON for each trace, for the bench that runs this file.
for (const trace of [chatTrace, agentTrace, documentTrace, sharedPromptTrace]) {
  for (const seed of SEEDS) {
    const made = trace(seed);
    const results = Object.fromEntries(
      Object.entries(RULES).map(([name, rule]) => [
        name,
        runTrace(made, { workers: WORKERS, seed, ...rule }),
      ]),
    );
    process.stdout.write(
      `${JSON.stringify({ trace: made.name, title: made.title, seed, results })}\n`,
    );
  }
}
