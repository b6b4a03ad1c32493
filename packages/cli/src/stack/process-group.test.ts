import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseOptions } from '../command.ts';
import { FreePorts } from './free-ports.ts';
import { planServices } from './plan-services.ts';
import { serviceMember } from './process-group.ts';
import { UP_OPTIONS, readUpOptions } from './up-options.ts';

describe('the time that a service has to stop', () => {
  let logs: string;
  beforeEach(async () => {
    logs = await mkdtemp(join(tmpdir(), 'sluice-grace-'));
  });
  afterEach(async () => {
    await rm(logs, { recursive: true });
  });

  async function graces(environment: Readonly<Record<string, string>>) {
    const { services } = await planServices({
      options: readUpOptions(parseOptions([], UP_OPTIONS).values, { folder: logs }),
      ports: new FreePorts(),
      apiRoot: '/compat/v1',
      redisUrl: 'redis://127.0.0.1:1',
      natsUrl: 'nats://127.0.0.1:1',
      adminToken: 'token',
      usageFolder: '',
      consoleKeys: { cookieKeys: '', assertionKey: '', publicKeys: '' },
      consolePages: '',
    });
    const members = services.map((service) => serviceMember(service, { environment, logs }));
    for (const { plan } of members) plan?.log[Symbol.dispose]();
    return Object.fromEntries(members.map(({ name, plan }) => [name, plan?.graceMs]));
  }

  const TEN_SECONDS = 10_000;

  it('is ten seconds, and does not depend on the drain that is configured', async () => {
    const long = { DRAIN_ANNOUNCE_MS: '5000', DRAIN_LIMIT_MS: '60000', DRAIN_TIMEOUT_MS: '60000' };
    for (const environment of [{}, long]) {
      expect(await graces(environment)).toEqual({
        console: TEN_SECONDS,
        simulator: TEN_SECONDS,
        quota: TEN_SECONDS,
        catalog: TEN_SECONDS,
        worker: TEN_SECONDS,
        gateway: TEN_SECONDS,
        usage: TEN_SECONDS,
      });
    }
  });
});
