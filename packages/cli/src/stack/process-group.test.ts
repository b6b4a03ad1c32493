import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FreePorts } from './free-ports.ts';
import { planServices } from './plan-services.ts';
import { serviceMember } from './process-group.ts';
import { readUpOptions } from './up-options.ts';

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
      options: readUpOptions([], { folder: logs }),
      ports: new FreePorts(),
      apiRoot: '/compat/v1',
      redisUrl: 'redis://127.0.0.1:1',
      natsUrl: 'nats://127.0.0.1:1',
      adminToken: 'token',
    });
    const members = services.map((service) => serviceMember(service, { environment, logs }));
    for (const { plan } of members) plan?.log[Symbol.dispose]();
    return Object.fromEntries(members.map(({ name, plan }) => [name, plan?.graceMs]));
  }

  const TEN_SECONDS = 10_000;

  it('is ten seconds where nothing is set', async () => {
    const unset = { DRAIN_LIMIT_MS: '', DRAIN_TIMEOUT_MS: '' };
    for (const environment of [{}, unset]) {
      expect(await graces(environment)).toEqual({
        simulator: TEN_SECONDS,
        quota: TEN_SECONDS,
        catalog: TEN_SECONDS,
        worker: TEN_SECONDS,
        gateway: TEN_SECONDS,
      });
    }
  });

  it('is longer than the drain that was set, of the service that has it', async () => {
    const environment = { DRAIN_ANNOUNCE_MS: '5000', DRAIN_LIMIT_MS: '60000' };
    const { gateway, worker, quota } = await graces(environment);
    expect(gateway).toBe(72_000);
    expect([worker, quota]).toEqual([TEN_SECONDS, TEN_SECONDS]);
    expect(await graces({ DRAIN_TIMEOUT_MS: '120000' })).toMatchObject({
      worker: 127_000,
      gateway: TEN_SECONDS,
    });
  });

  it('is never less than ten seconds, whatever is set', async () => {
    const environment = { DRAIN_LIMIT_MS: '0', DRAIN_TIMEOUT_MS: 'soon' };
    expect(await graces(environment)).toMatchObject({ worker: TEN_SECONDS, gateway: TEN_SECONDS });
  });
});
