import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cannotRun, useLeakCheck, waitUntil } from '@sluice/devkit';
import { externalServerAnswers, findFreePort } from '@sluice/servers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runSluice, sluice, WITHOUT } from './run-sluice.ts';

useLeakCheck({ timeoutMs: 10_000 });

const settings = join(import.meta.dirname, '../../../deploy/nats/nats.conf');
const program = process.env['SLUICE_NATS_SERVER'] ?? '';
const missing = program.startsWith('/') ? undefined : 'SLUICE_NATS_SERVER is no program';

describe.skipIf(cannotRun('a stack on a guarded NATS', missing))('a NATS with a password', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-guarded-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  test('carries a stack, whose commands find it, and whose logs never name the password', async () => {
    const port = await findFreePort();
    const place = ['-c', settings, '-p', String(port), '-sd', join(folder, 'nats')];
    const nats = spawn(program, [...place, '--user', 'me', '--pass', 'p%ss'], { stdio: 'ignore' });
    const NATS_URL = `nats://me:p%25ss@localhost:${port}`;
    try {
      await waitUntil(() => externalServerAnswers('nats', NATS_URL), { what: 'NATS to answer' });
      const state = join(folder, 'state');
      const run = runSluice(['up', '--port', '0', '--state', state, ...WITHOUT], { NATS_URL });
      await run.ready();
      const fleet = await sluice(['fleet', '--state', state]);
      expect(fleet).toMatchObject({ code: 0, stderr: '' });
      const wrong = `nats://me:wrong@localhost:${port}`;
      const refused = {
        code: 1,
        stderr: `sluice fleet: NATS at localhost:${port} refuses this user, password, token or credentials file\n`,
      };
      expect(await sluice(['fleet', '--nats', wrong])).toMatchObject(refused);
      // The variable has lower priority than the options.
      const variable = { SLUICE_NATS_URL: wrong };
      expect(await sluice(['fleet'], variable)).toMatchObject(refused);
      for (const place of [
        ['--state', state],
        ['--nats', NATS_URL],
      ]) {
        expect(await sluice(['fleet', ...place], variable)).toMatchObject({ code: 0, stderr: '' });
      }
      run.signal('SIGINT');
      await run.ended;
      const logs = join(state, 'logs');
      const written = await Promise.all(
        (await readdir(logs)).map(async (name) => readFile(join(logs, name), 'utf8')),
      );
      const shown = [...written, run.stdout(), run.stderr()].join('');
      expect(shown).toContain('"service":"gateway"');
      expect(shown).not.toMatch(/p%(?:25)?ss/);
    } finally {
      nats.kill('SIGKILL');
      await once(nats, 'exit');
    }
  });
});
