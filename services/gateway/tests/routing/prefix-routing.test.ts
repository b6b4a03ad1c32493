import { expect, test } from 'vitest';
import { byPrompt, withPerfectKnowledge } from './rules.ts';
import { sharedPromptTrace, documentTrace } from './traces.ts';
import { runTrace } from './virtual-fleet.ts';

test('most tokens of prompts that conversations share are cached, at an even load', () => {
  const { cached, load } = runTrace(sharedPromptTrace(), {
    workers: 4,
    gateways: 1,
    rule: byPrompt,
  });
  expect(cached).toBeGreaterThanOrEqual(0.7);
  expect(load).toBeLessThanOrEqual(1.25);
});

test('three gateways learn from heartbeats which documents the workers have read', () => {
  const trace = documentTrace();
  const oracle = runTrace(trace, { workers: 4, gateways: 1, rule: withPerfectKnowledge });
  const { cached, load } = runTrace(trace, { workers: 4, gateways: 3, rule: byPrompt });
  expect(cached).toBeGreaterThanOrEqual(0.9 * oracle.cached);
  expect(load).toBeLessThanOrEqual(1.25);
});
