import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Backend, OwnServer } from './backend.ts';
import { answersAt, type ServerKind } from './server-answers.ts';
import { waitUntil } from './wait-until.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const unpacked = join(import.meta.dirname, '../../../.tools/servers/bin');

/** The server programs of this machine, as child processes on free ports. */
export function localBackend(environment: Environment): Backend {
  const redis = programOf('redis', environment['SLUICE_REDIS_SERVER']);
  const nats = programOf('nats', environment['SLUICE_NATS_SERVER']);
  return {
    kind: 'local',
    description: `${redis} and ${nats}`,
    startRedis: async () => startProgram('redis', redis),
    startNats: async () => startProgram('nats', nats),
  };
}

function programOf(kind: ServerKind, given: string | undefined): string {
  const program = given ?? join(unpacked, `${kind}-server`);
  if (program.startsWith('/') && existsSync(program)) return program;
  throw new Error(`no ${kind} server for tests: run them by npm test, which fetches one`);
}

async function startProgram(kind: ServerKind, program: string): Promise<OwnServer> {
  const folder = await mkdtemp(join(tmpdir(), `sluice-test-${kind}-`));
  const port = randomInt(18_000, 32_000);
  const address = { host: '127.0.0.1', port };
  const settings = join(folder, 'nats.conf');
  await writeFile(
    settings,
    `listen: "127.0.0.1:${port}"\nmax_payload: 8388608\njetstream { store_dir: "${folder}" }\n`,
  );
  const parameters =
    kind === 'nats'
      ? ['--config', settings]
      : [
          '--port',
          String(port),
          '--bind',
          '127.0.0.1',
          '--dir',
          folder,
          '--appendonly',
          'yes',
          '--save',
          '',
        ];
  let child: ChildProcess | undefined;
  const start = async () => {
    child = spawn(program, parameters, { stdio: 'ignore' });
    await waitUntil(() => answersAt(kind, address), { what: `${kind} to answer` });
  };
  const end = async (signal: NodeJS.Signals) => {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    running.once('exit', () => resolve());
    running.kill(signal);
    await promise;
  };
  await start();
  return {
    url: `${kind}://127.0.0.1:${port}`,
    kill: async () => end('SIGKILL'),
    restart: start,
    pause: async () => void child?.kill('SIGSTOP'),
    resume: async () => void child?.kill('SIGCONT'),
    [Symbol.asyncDispose]: async () => {
      await end('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
