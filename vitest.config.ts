import { defineConfig } from 'vitest/config';
import { longestFirst } from './packages/devkit/src/runner/longest-first.ts';
import { forgetGivenServers } from './packages/devkit/src/servers/forget-given-servers.ts';

const everyMember = '{packages/*,services/*,deploy}';
const endToEnd = `${everyMember}/tests/**/*.e2e.test.ts`;
const faults = `${everyMember}/tests/**/*.faults.test.ts`;
/**
 * They count what a fault costs in requests, take every core, or call a catalog right after a fault without a retry: each
 * has the machine for itself.
 */
const measuredFaults = [
  'services/catalog/tests/{apply,changes-everywhere}.faults.test.ts',
  'services/gateway/tests/faults/refusals.faults.test.ts',
  'services/quota/tests/{failover,hammer,lost-master,refusals,store-faults}.faults.test.ts',
  'services/usage/tests/budget-stop.faults.test.ts',
];
/** Services of the previous release beside those of the working tree. */
const versions = `${everyMember}/tests/**/*.versions.test.ts`;
const llama = `${everyMember}/tests/**/*.llama.test.ts`;
/** They measure CPU time, shares of it, or decisions in milliseconds: no more files at once than cores. */
const measured = [
  'packages/devkit/tests/pause-witness.test.ts',
  'services/gateway/tests/{event-loop,threaded-examiner}.test.ts',
  'services/quota/tests/quota-service.test.ts',
  'services/worker/tests/{large-requests,worker-fairness}.test.ts',
];
/** The longest files of each project, which start first in this order. */
const longFiles = [
  'packages/bus/tests/ledger-outages.test.ts',
  'services/usage/tests/usage-service.test.ts',
  'services/usage/tests/store.test.ts',
  'services/worker/tests/worker-losses.test.ts',
  'packages/rpc/tests/quota-client.test.ts',
  'packages/service/tests/run-service.test.ts',
  'packages/servers/tests/bootstrap.test.ts',
  // After the store, whose embedded database it copies.
  'services/usage/tests/budgets.test.ts',
  'services/worker/tests/worker-process.test.ts',
  'services/worker/tests/worker-clock.test.ts',
  'services/worker/tests/runtime-load.test.ts',
  'services/worker/tests/checked-schemas.test.ts',
  'packages/bus/tests/ledger.test.ts',
  'packages/bus/tests/access.test.ts',
  'packages/devkit/tests/run-tests.test.ts',
  'services/catalog/tests/faults.test.ts',
  'deploy/tests/monitoring/promtool.test.ts',
  'services/gateway/tests/hardening.test.ts',
  'packages/bus/tests/bus.test.ts',
  'packages/bus/tests/key-value-watch.test.ts',
  'services/quota/tests/limiter-cluster.test.ts',
  'services/worker/tests/worker-runtime-changes.test.ts',
  'packages/rpc/tests/unanswered-connection.test.ts',

  'services/worker/tests/large-requests.test.ts',

  'services/console/tests/pages.e2e.test.ts',
  'deploy/tests/chart/chart-environment.e2e.test.ts',
  'deploy/tests/chart/turn-tls-on.e2e.test.ts',
  'packages/cli/tests/first-run.e2e.test.ts',
  'packages/cli/tests/usage.e2e.test.ts',
  'services/gateway/tests/conformance/conformance.e2e.test.ts',
  'packages/cli/tests/stopping.e2e.test.ts',
  'packages/cli/tests/up.e2e.test.ts',
  'packages/cli/tests/chat-and-fleet.e2e.test.ts',
  'services/console/tests/journey.e2e.test.ts',
  'services/catalog/tests/refusals.e2e.test.ts',
  'packages/cli/tests/drain.e2e.test.ts',
  'packages/cli/tests/damaged-state.e2e.test.ts',
  'services/catalog/tests/changes-everywhere.e2e.test.ts',

  // Files that take CPU time run beside files that wait.
  'services/gateway/tests/faults/every-service.faults.test.ts',
  'services/gateway/tests/faults/every-neighbour.faults.test.ts',
  'services/usage/tests/crashes.faults.test.ts',
  'services/gateway/tests/faults/rolling-restart.faults.test.ts',
  'services/gateway/tests/faults/nats.faults.test.ts',
  'services/gateway/tests/faults/runtime.faults.test.ts',
  'services/gateway/tests/faults/worker.faults.test.ts',
  'services/gateway/tests/faults/shares.faults.test.ts',
  'services/gateway/tests/faults/gateway.faults.test.ts',
];
const neverTests = ['**/node_modules/**', '**/fixtures/**'];

// Here, because every process of every test inherits from this one.
forgetGivenServers();

const ownPorts = 'packages/devkit/src/servers/own-ports-setup.ts';
const leakCheck = 'packages/devkit/src/leaks/leak-check-setup.ts';

// A project's group runs after the ones before it. Most of these tests wait for processes and deadlines:
// more files at once than the two cores that we count on, but only so many that no deadline is missed.
export default defineConfig({
  test: {
    allowOnly: false,
    teardownTimeout: 10_000,
    slowTestThreshold: 2_000,
    sequence: { sequencer: longestFirst(longFiles) },
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            `${everyMember}/src/**/*.test.ts`,
            'deploy/dashboards/src/**/*.test.ts',
            'services/console/web/src/**/*.test.ts',
          ],
          exclude: neverTests,
          testTimeout: 10_000,
          hookTimeout: 10_000,
          // Files share processes: a process for each of them takes three times the CPU time.
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'integration',
          include: [`${everyMember}/tests/**/*.test.ts`],
          exclude: [...neverTests, ...measured, endToEnd, faults, versions, llama],
          globalSetup: 'packages/devkit/src/global-setup.ts',
          setupFiles: [ownPorts, leakCheck],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          isolate: false,
          maxWorkers: 4,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'measured',
          include: measured,
          exclude: neverTests,
          globalSetup: 'packages/devkit/src/global-setup.ts',
          setupFiles: [ownPorts, leakCheck],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          name: 'end-to-end',
          include: [endToEnd],
          exclude: neverTests,
          setupFiles: [ownPorts],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          isolate: false,
          maxWorkers: 3,
          sequence: { groupOrder: 4 },
        },
      },
      {
        test: {
          name: 'faults',
          include: [faults],
          exclude: [...neverTests, ...measuredFaults],
          setupFiles: [ownPorts],
          testTimeout: 180_000,
          hookTimeout: 120_000,
          maxWorkers: 3,
          sequence: { groupOrder: 5 },
        },
      },
      {
        test: {
          name: 'measured-faults',
          include: measuredFaults,
          exclude: neverTests,
          testTimeout: 180_000,
          hookTimeout: 120_000,
          fileParallelism: false,
          sequence: { groupOrder: 6 },
        },
      },
      {
        test: {
          name: 'versions',
          include: [versions],
          exclude: neverTests,
          testTimeout: 120_000,
          hookTimeout: 180_000,
          fileParallelism: false,
          sequence: { groupOrder: 7 },
        },
      },
      {
        test: {
          name: 'llama',
          include: [llama],
          exclude: neverTests,
          globalSetup: 'packages/devkit/src/global-setup.ts',
          setupFiles: leakCheck,
          testTimeout: 60_000,
          hookTimeout: 120_000,
          fileParallelism: false,
          sequence: { groupOrder: 8 },
        },
      },
    ],
  },
});
