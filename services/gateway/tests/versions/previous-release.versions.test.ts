import { CONTRACT_VERSION } from '@sluice/contracts';
import { cannotRun, useLeakCheck, useNats, useRedis, waitUntil } from '@sluice/devkit';
import {
  copyVersion,
  previousRelease,
  releaseMissing,
  type VersionCopy,
} from '@sluice/devkit/versions';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CompletionClient } from '../faults/completion-client.ts';
import { Fleet, startRuntime, type FleetOptions, type ServiceName } from '../faults/fleet.ts';

interface Row {
  readonly title: string;
  /** The services that run in the version of the previous release. */
  readonly old: readonly ServiceName[];
  /** Whether a second gateway and a second worker run in the version of the working tree. */
  readonly both?: boolean;
}

const release = previousRelease();

/** Gateways and workers with different contract versions do not work together: docs/operations/upgrades.md. */
const APART: readonly Row[] =
  release.contract === CONTRACT_VERSION
    ? [
        { title: 'its gateway', old: ['gateway'] },
        { title: 'its worker, catalog and quota', old: ['worker', 'catalog', 'quota'] },
      ]
    : [
        { title: 'its gateway and worker', old: ['gateway', 'worker'] },
        { title: 'its catalog and quota', old: ['catalog', 'quota'] },
      ];
const ROWS: readonly Row[] = [
  ...APART,
  { title: 'gateways and workers of both versions', old: ['gateway', 'worker'], both: true },
];

const missing = cannotRun(`services of version ${release.version}`, releaseMissing(release));
describe.skipIf(missing)(`beside version ${release.version}`, () => {
  let copy: VersionCopy;
  beforeAll(async () => {
    copy = await copyVersion(release.commit);
  });
  afterAll(async () => {
    await copy[Symbol.asyncDispose]();
  });

  describe.each(ROWS)('with $title', ({ old, both = false }) => {
    useLeakCheck({ timeoutMs: 10_000 });
    const nats = useNats({ own: true });
    const redis = useRedis({ own: true });

    const repositoryOf: FleetOptions['repositoryOf'] = (service, index) =>
      old.includes(service) && (!both || index === 0) ? copy.folder : undefined;

    test('every gateway answers requests, whole and streamed', async () => {
      const count = both ? 2 : 1;
      await using runtimes = new AsyncDisposableStack();
      const urls: string[] = [];
      for (let index = 0; index < count; index += 1) {
        const runtime = await startRuntime();
        runtimes.use(runtime.process);
        urls.push(runtime.url);
      }
      await using fleet = await Fleet.start({
        natsUrl: nats.url,
        redisUrl: redis.url,
        gateways: count,
        runtimes: urls,
        // With limits, so that each request needs a decision of quota.
        limits: { requests_per_minute: 1_000, tokens_per_minute: 1_000_000 },
        repositoryOf,
      });
      const { key } = await fleet.tenant();
      for (const [index, { url }] of fleet.gateways.entries()) {
        const ask = async (name: string, stream: boolean) => {
          const asked = new CompletionClient({ url, key, name, steering: { tokens: 20 }, stream });
          return (await asked.ended).ending;
        };
        const gateway = `gateway ${index + 1}`;
        await waitUntil(async () => (await ask(gateway, false)) === 'whole', {
          what: `${gateway} to know a worker with its contract version`,
          timeoutMs: 30_000,
        });
        for (const stream of [false, true, false, true]) {
          const name = `${stream ? 'streamed' : 'whole'} at ${gateway}`;
          expect([name, await ask(name, stream)]).toEqual([name, 'whole']);
        }
      }
    });
  });
});
