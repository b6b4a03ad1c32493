import { spawn, type ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import { withServerPrograms } from './server-programs.ts';
import type { StackOptions, StackService } from './test-stack.ts';

/** What `sluice up --json` prints when it is ready. */
const ReadyLine = z.object({
  base_url: z.string(),
  api_root: z.string(),
  api_key: z.string(),
  redis_url: z.string(),
  nats_url: z.string(),
  admin_address: z.string(),
  admin_addresses: z.array(z.string()),
  admin_token_file: z.string(),
  quota_addresses: z.array(z.string()),
  catalog_address: z.string(),
  logs: z.string(),
  models: z.array(z.string()),
});
export type ReadyLine = z.infer<typeof ReadyLine>;

const RunningFile = z.object({
  services: z.array(
    z.object({
      name: z.string(),
      url: z.string(),
      health_url: z.string().nullable(),
      process: z.object({ pid: z.int() }).nullable(),
      ready: z.boolean(),
      restarts: z.int(),
    }),
  ),
});

const root = join(import.meta.dirname, '../../..');
const READY_TIMEOUT_MS = 90_000;

/**
 * A machine full of tests may stand still for longer than an admission is waited for, and what is then
 * refused is not what these tests are about. Those of the deadlines say what they want.
 */
const PATIENT_ADMISSION = { QUOTA_DEADLINE_MS: '5000', REDIS_DEADLINE_MS: '4000' } as const;

/** Runs the command that people run, from a state folder, until it says that it is ready. */
export async function sluiceUp(
  options: StackOptions,
  state: string,
): Promise<{ up: ChildProcess; ready: ReadyLine }> {
  const up = spawn(process.execPath, parametersOf(options, state), {
    cwd: root,
    env: { ...withServerPrograms(process.env), ...PATIENT_ADMISSION, ...options.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  try {
    return { up, ready: ReadyLine.parse(JSON.parse(await firstLine(up))) };
  } catch (error) {
    up.kill('SIGKILL');
    throw error;
  }
}

/** The processes of the stack that runs from a state folder, as it has written them down. */
export async function readServices(state: string): Promise<StackService[]> {
  const file = RunningFile.parse(JSON.parse(await readFile(join(state, 'running.json'), 'utf8')));
  return file.services.map(({ health_url, process: identity, ...service }) => ({
    ...service,
    healthUrl: health_url,
    pid: identity?.pid ?? null,
  }));
}

function parametersOf({ runtimes = [], ...options }: StackOptions, state: string): string[] {
  const counts = (['gateways', 'catalogs', 'quotas', 'workers'] as const).flatMap((name) => {
    const count = options[name];
    return count === undefined ? [] : [`--${name}=${count}`];
  });
  return [
    join(root, 'packages/cli/src/main.ts'),
    'up',
    '--json',
    '--port=0',
    `--state=${state}`,
    ...counts,
    ...runtimes.map((url) => `--runtime=${url}`),
  ];
}

async function firstLine(up: ChildProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let said = '';
  up.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-8_000);
  });
  const fail = (reason: string) => reject(new Error(`the stack ${reason}; it said:\n${said}`));
  const timer = setTimeout(() => fail('did not become ready in time'), READY_TIMEOUT_MS);
  if (up.stdout !== null) createInterface(up.stdout).once('line', resolve);
  up.once('error', reject);
  up.once('exit', (code) => fail(`ended with code ${String(code)} before it was ready`));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}
