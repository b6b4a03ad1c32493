import { useLeakCheck, useStack } from '@sluice/devkit';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { CASE_GROUPS } from './all-cases.ts';
import type { Case } from './case.ts';
import { World } from './world.ts';

useLeakCheck();

/** Short times, so that tests can wait for them. */
const stack = useStack({
  environment: {
    SIMULATOR_TTFT_MS: '0',
    SIMULATOR_ITL_MS: '0',
    HEADERS_TIMEOUT_MS: '1500',
    KEEPALIVE_MS: '1000',
  },
});
let world: World;

beforeAll(async () => {
  world = await World.open(stack());
});

afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

async function expectToHold({ run }: Case): Promise<void> {
  await run(world);
}

describe.each(CASE_GROUPS)('$section', ({ cases }) => {
  test.each(cases)('$title ($proves)', async (row) => expectToHold(row));
});
