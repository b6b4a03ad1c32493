import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cannotRun, ServiceProcess, useNats } from '@sluice/devkit';
import { connectUsage } from '@sluice/rpc';
import { findFreePort } from '@sluice/servers';
import { describe, expect, it } from 'vitest';
import { Expected, expectEverythingOnce, writeSome } from './crashes.ts';
import { PASSWORD, postgresMissing, PostgresServer } from './postgres-server.ts';
import { ADMIN_TOKEN, openLedgerWriter } from './usage-under-test.ts';

/** `SLUICE_USAGE_KILLS=50` runs the long version. */
const KILLS = Number(process.env['SLUICE_USAGE_KILLS'] ?? 5);
const RECORDS_BETWEEN_KILLS = 2_000;
const PREFIX = 'crashes';

async function startUsageProcess(natsUrl: string, database: Readonly<Record<string, string>>) {
  const [port, health] = [await findFreePort(), await findFreePort()];
  const process = await ServiceProcess.start({
    name: 'usage',
    entry: 'services/usage/src/main.ts',
    settings: {
      ...database,
      NATS_URL: natsUrl,
      SUBJECT_PREFIX: PREFIX,
      PORT: String(port),
      HEALTH_PORT: String(health),
      ADMIN_TOKENS: `operator:${ADMIN_TOKEN}`,
    },
    readyUrl: `http://127.0.0.1:${health}/readyz`,
  });
  return { process, address: `127.0.0.1:${port}` };
}

type Victim = 'usage' | 'nats' | 'database';

describe('while processes are killed under load, every record counts once', () => {
  const nats = useNats({ own: true });

  interface Run {
    readonly database: Readonly<Record<string, string>>;
    readonly victims: readonly Victim[];
    readonly restartDatabase: () => Promise<void>;
  }

  async function expectEverythingOnceDespiteKills({
    database,
    victims,
    restartDatabase,
  }: Run): Promise<void> {
    const usage = await startUsageProcess(nats.url, database);
    await using _usage = usage.process;
    await using ledger = await openLedgerWriter(nats.url, PREFIX);
    const expected = new Expected();
    for (let kill = 0; kill < KILLS; kill += 1) {
      writeSome(ledger, expected, RECORDS_BETWEEN_KILLS);
      const victim = victims[kill % victims.length];
      if (victim === 'usage') {
        await usage.process.end('SIGKILL');
        await usage.process.start();
      } else if (victim === 'nats') {
        await nats.kill();
        await nats.restart();
      } else {
        await restartDatabase();
      }
    }
    await ledger.settled();
    await using client = connectUsage({ address: usage.address, token: ADMIN_TOKEN });
    await expectEverythingOnce(client, expected);
    expect(expected.ids).toHaveLength(KILLS * RECORDS_BETWEEN_KILLS);
  }

  it(
    'in the embedded database',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'sluice-usage-'));
      try {
        await expectEverythingOnceDespiteKills({
          database: { DATABASE_FOLDER: join(folder, 'tables') },
          victims: ['usage', 'nats'],
          restartDatabase: async () => undefined,
        });
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    60_000 + KILLS * 20_000,
  );

  it.skipIf(cannotRun('crashes of usage on PostgreSQL', postgresMissing()))(
    'in PostgreSQL',
    async () => {
      await using postgres = await PostgresServer.start();
      await expectEverythingOnceDespiteKills({
        database: { DATABASE_URL: postgres.address, DATABASE_PASSWORD: PASSWORD },
        victims: ['usage', 'database', 'nats'],
        restartDatabase: () => postgres.restart(),
      });
    },
    60_000 + KILLS * 20_000,
  );
});
