import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { LOOPBACK, StartFailure, findFreePort } from '@sluice/servers';
import { childProcesses } from '../measure/process-usage.ts';
import { answers, startProgram } from '../programs/child-program.ts';
import { TOOLS } from '../programs/repository.ts';
import {
  ANY_CREDENTIAL,
  COMPLETIONS,
  CannotRun,
  targetOf,
  type StartContestant,
  type StartContext,
} from './contestant.ts';

const run = promisify(execFile);
const UNPACKED = join(TOOLS, 'bench/servers/nginx/usr/sbin/nginx');
const UNPACK = join(import.meta.dirname, 'unpack-nginx.sh');

/** The lower bound for relaying: nginx with one worker process, without buffering, with keep-alive on both sides. */
export const startNginx: StartContestant = async (context) => {
  const program = await findNginx(context);
  const folder = await mkdtemp(join(tmpdir(), 'sluice-nginx-'));
  const port = await findFreePort();
  const url = `http://${LOOPBACK}:${port}`;
  const file = join(folder, 'nginx.conf');
  await writeFile(file, settings({ folder, port, upstream: new URL(context.simulator.url).host }));
  try {
    const server = await startProgram({
      name: 'nginx',
      program,
      parameters: ['-p', folder, '-c', file, '-e', 'stderr'],
      isReady: () => answers(`${url}/health`),
    });
    return {
      name: 'nginx',
      description: `${await versionOf(program)}, proxying with buffering off, 1 worker process`,
      target: targetOf(url, COMPLETIONS, { authorization: ANY_CREDENTIAL }),
      processes: { gateway: [server.pid, ...childProcesses(server.pid)] },
      nodeProcesses: [],
      [Symbol.asyncDispose]: async () => {
        await server[Symbol.asyncDispose]();
        await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if (error instanceof StartFailure) throw new CannotRun(error.message, { cause: error });
    throw error;
  }
};

async function findNginx({ say }: StartContext): Promise<string> {
  const onPath = (process.env['PATH'] ?? '')
    .split(delimiter)
    .concat('/usr/sbin', '/usr/local/sbin')
    .map((folder) => join(folder, 'nginx'))
    .find((path) => existsSync(path));
  if (onPath !== undefined) return onPath;
  if (existsSync(UNPACKED)) return UNPACKED;
  say("nginx is not installed: unpacking the distribution's package under .tools …");
  try {
    await run('sh', [UNPACK], { timeout: 180_000 });
  } catch (error) {
    const errorOutput =
      error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    throw new CannotRun(
      `it is not installed, and the distribution's package could not be unpacked${errorOutput === '' ? '' : ` (${errorOutput.split('\n').at(-1)})`}`,
      { cause: error },
    );
  }
  if (!existsSync(UNPACKED)) throw new CannotRun("the distribution's package holds no nginx");
  return UNPACKED;
}

async function versionOf(program: string): Promise<string> {
  const { stderr } = await run(program, ['-v']);
  return /nginx\/[\d.]+/.exec(stderr)?.[0].replace('/', ' ') ?? 'nginx';
}

function settings({
  folder,
  port,
  upstream,
}: {
  folder: string;
  port: number;
  upstream: string;
}): string {
  return `
daemon off;
worker_processes 1;
worker_rlimit_nofile 20000;
pid ${folder}/nginx.pid;
error_log stderr error;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 16384; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  scgi_temp_path ${folder}/scgi;
  uwsgi_temp_path ${folder}/uwsgi;
  keepalive_requests 100000000;
  keepalive_timeout 600s;
  upstream runtime {
    server ${upstream};
    keepalive 1024;
    keepalive_requests 100000000;
  }
  server {
    listen ${LOOPBACK}:${port} backlog=4096;
    client_max_body_size 8m;
    client_body_buffer_size 64k;
    location / {
      proxy_pass http://runtime;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
      proxy_read_timeout 600s;
    }
  }
}
`;
}
