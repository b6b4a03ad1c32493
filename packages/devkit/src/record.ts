import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import { recordPage } from './recordings/record-page.ts';
import { TmuxWindow } from './recordings/tmux-window.ts';

/** The pages with recordings, in the order in which their commands run on one stack. */
const PAGES = [
  'keys',
  'limits-and-plans',
  'usage-and-spend',
  'explain-a-failed-request',
  'drain-a-worker',
  'logs',
  'scripts',
  'chat',
  'contexts',
  'completion',
];

const root = join(import.meta.dirname, '../../..');
const main = join(root, 'packages/cli/src/main.ts');
const Ready = z.object({ api_key: z.string(), api_root: z.string() });

const home = await mkdtemp(join(tmpdir(), 'sluice-recordings-'));
const stack = spawn(
  process.execPath,
  [main, 'up', '--port=0', '--json', '--workers=2', `--state=${home}/state`],
  {
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
try {
  const printed: unknown[] = await once(createInterface({ input: stack.stdout }), 'line');
  const { api_key: key, api_root: url } = Ready.parse(JSON.parse(String(printed[0])));
  await prepareHome();
  const wanted = process.argv.slice(2);
  for (const page of PAGES.filter((name) => wanted.length === 0 || wanted.includes(name))) {
    const path = join(root, `docs/how-to/${page}.md`);
    const window = new TmuxWindow(`sluice-recordings-${process.pid}`, {
      PATH: `${home}/bin:${process.env['PATH']}`,
      HOME: home,
      KEY: key,
      URL: url,
      NO_COLOR: '1',
    });
    try {
      await writeFile(path, await recordPage(await readFile(path, 'utf8'), { window, clean }));
      console.log(`recorded ${page}`);
    } finally {
      window.close();
    }
  }
} finally {
  stack.kill('SIGTERM');
  await once(stack, 'close');
  await rm(home, { recursive: true });
}

/** A home folder with the command on the PATH, and with a context for the stack. */
async function prepareHome(): Promise<void> {
  await mkdir(join(home, 'bin'));
  const command = join(home, 'bin/sluice');
  await writeFile(command, `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`);
  await chmod(command, 0o755);
  const config = join(home, '.config/sluice');
  await mkdir(config, { recursive: true });
  const contexts = { current: 'demo', contexts: { demo: { state: `${home}/state` } } };
  await writeFile(join(config, 'contexts.yaml'), JSON.stringify(contexts));
}

/** Replaces names of this machine, and shortens keys. */
function clean(text: string): string {
  return text
    .replaceAll(home, '~')
    .replaceAll(/\S+/g, (word) => (word === hostname() ? 'gpu-host' : word))
    .replaceAll(/sk-[0-9A-Za-z]{8,}/g, (key) => `${key.slice(0, 6)}…`);
}
