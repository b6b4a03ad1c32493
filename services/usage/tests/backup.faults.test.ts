import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cannotRun, useLeakCheck, useNats } from '@sluice/devkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Expected, expectEverythingOnce, writeSome } from './crashes.ts';
import { findProgram, postgresMissing, PostgresServer } from './postgres-server.ts';
import { openLedgerWriter, startUsage } from './usage-under-test.ts';

const run = promisify(execFile);

describe('an older copy of the tables', () => {
  useLeakCheck();
  const nats = useNats();
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-usage-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  interface Copying {
    readonly prefix: string;
    readonly database: Readonly<Record<string, string>>;
    readonly backUp: () => Promise<unknown>;
    readonly restore: () => Promise<unknown>;
  }

  async function expectCopyToCatchUp({
    prefix,
    database,
    backUp,
    restore,
  }: Copying): Promise<void> {
    const settings = { NATS_URL: nats.url, SUBJECT_PREFIX: prefix, ...database };
    await using ledger = await openLedgerWriter(nats.url, prefix);
    const expected = new Expected();
    const writeAndRead = async () => {
      writeSome(ledger, expected, 500);
      await ledger.settled();
      await using usage = await startUsage(settings);
      await expectEverythingOnce(usage.client, expected);
    };
    await writeAndRead();
    await backUp();
    await writeAndRead();
    await restore();
    await writeAndRead();
    expect(expected.requests).toBe(1_500);
  }

  it('in a folder is brought up to date', async () => {
    const [tables, copy] = [join(folder, 'tables'), join(folder, 'copy')];
    await expectCopyToCatchUp({
      prefix: `${nats.namespace}a`,
      database: { DATABASE_FOLDER: tables },
      backUp: () => cp(tables, copy, { recursive: true }),
      restore: async () => {
        await rm(tables, { recursive: true });
        await cp(copy, tables, { recursive: true });
      },
    });
  });

  it.skipIf(cannotRun('restoring usage on PostgreSQL', postgresMissing()))(
    'of PostgreSQL is brought up to date',
    async () => {
      await using postgres = await PostgresServer.start();
      const dump = join(folder, 'dump.sql');
      const call = (program: string, ...parameters: readonly string[]) =>
        run(findProgram(program) ?? program, [...parameters, postgres.url]);
      await expectCopyToCatchUp({
        prefix: `${nats.namespace}b`,
        database: { DATABASE_URL: postgres.url },
        backUp: () => call('pg_dump', '--file', dump),
        restore: async () => {
          await call('psql', '--command', 'DROP SCHEMA public CASCADE; CREATE SCHEMA public');
          await call('psql', '--set', 'ON_ERROR_STOP=1', '--file', dump);
        },
      });
    },
  );
});
