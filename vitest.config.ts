import { defineConfig } from 'vitest/config';
import { forgetGivenServers } from './packages/testkit/src/forget-given-servers.ts';

const everyMember = '{packages,services}/*';
const endToEnd = `${everyMember}/tests/**/*.e2e.test.ts`;
const faults = `${everyMember}/tests/**/*.faults.test.ts`;
const llama = `${everyMember}/tests/**/*.llama.test.ts`;
const neverTests = ['**/node_modules/**', '**/fixtures/**'];

// Here, because every process of every test inherits from this one.
forgetGivenServers();

// A project's group runs after the ones before it, so that whole stacks of
// processes never compete with other tests for the same two cores.
export default defineConfig({
  test: {
    allowOnly: false,
    teardownTimeout: 10_000,
    slowTestThreshold: 2_000,
    projects: [
      {
        test: {
          name: 'unit',
          include: [`${everyMember}/src/**/*.test.ts`],
          exclude: neverTests,
          testTimeout: 10_000,
          hookTimeout: 10_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'integration',
          include: [`${everyMember}/tests/**/*.test.ts`],
          exclude: [...neverTests, endToEnd, faults, llama],
          globalSetup: 'packages/testkit/src/global-setup.ts',
          setupFiles: 'packages/testkit/src/leak-check-setup.ts',
          testTimeout: 30_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'end-to-end',
          include: [endToEnd],
          exclude: neverTests,
          testTimeout: 60_000,
          hookTimeout: 120_000,
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          name: 'faults',
          include: [faults],
          exclude: neverTests,
          testTimeout: 180_000,
          hookTimeout: 120_000,
          fileParallelism: false,
          sequence: { groupOrder: 4 },
        },
      },
      {
        test: {
          name: 'llama',
          include: [llama],
          exclude: neverTests,
          globalSetup: 'packages/testkit/src/global-setup.ts',
          setupFiles: 'packages/testkit/src/leak-check-setup.ts',
          testTimeout: 60_000,
          hookTimeout: 120_000,
          fileParallelism: false,
          sequence: { groupOrder: 5 },
        },
      },
    ],
  },
});
