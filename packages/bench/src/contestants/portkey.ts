import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { LOOPBACK, StartFailure, findFreePort } from '@sluice/servers';
import * as z from 'zod';
import { INSPECTABLE } from '../measure/collect-garbage.ts';
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

const VERSION = '1.15.2';
/** Pinned: with the newest `@hono/node-server`, this version of Portkey buffers streams. */
const NODE_SERVER_VERSION = '1.14.0';
const FOLDER = join(TOOLS, 'bench/portkey');
const MAIN = join(FOLDER, 'node_modules/@portkey-ai/gateway/build/start-server.js');
const PackageManifest = z.object({ version: z.string() });
const LOOPBACK_ONLY = join(import.meta.dirname, 'listen-on-loopback.ts');

/**
 * A gateway written in TypeScript. It has no setting for the address on which it listens, so a preloaded module makes
 * it listen on loopback only.
 */
export const startPortkey: StartContestant = async (context) => {
  await install(context);
  const port = await findFreePort();
  const url = `http://${LOOPBACK}:${port}`;
  try {
    const server = await startProgram({
      name: 'portkey',
      program: process.execPath,
      parameters: [
        '--import',
        pathToFileURL(LOOPBACK_ONLY).href,
        MAIN,
        '--headless',
        `--port=${port}`,
      ],
      environment: { ...INSPECTABLE, NODE_ENV: 'production' },
      isReady: () => answers(`${url}/`),
    });
    return {
      name: 'portkey',
      description: `@portkey-ai/gateway ${VERSION} with @hono/node-server ${NODE_SERVER_VERSION}, 1 process`,
      target: targetOf(url, COMPLETIONS, {
        authorization: ANY_CREDENTIAL,
        'x-portkey-provider': 'openai',
        'x-portkey-custom-host': `${context.simulator.url}/v1`,
      }),
      processes: { gateway: [server.pid] },
      nodeProcesses: [{ pid: server.pid, errorOutput: async () => server.output() }],
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  } catch (error) {
    if (error instanceof StartFailure) throw new CannotRun(error.message, { cause: error });
    throw error;
  }
};

async function install({ say }: StartContext): Promise<void> {
  if (await isInstalled()) return;
  say(`installing @portkey-ai/gateway ${VERSION} under .tools, for the benchmark alone …`);
  await mkdir(FOLDER, { recursive: true });
  const manifest = {
    private: true,
    dependencies: { '@portkey-ai/gateway': VERSION },
    overrides: { '@hono/node-server': NODE_SERVER_VERSION },
  };
  await writeFile(join(FOLDER, 'package.json'), JSON.stringify(manifest, undefined, 2));
  const parameters = [
    'install',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--no-package-lock',
  ];
  try {
    await promisify(execFile)('npm', [...parameters, '--loglevel=error'], {
      cwd: FOLDER,
      timeout: 180_000,
    });
  } catch (error) {
    throw new CannotRun('npm could not install @portkey-ai/gateway', { cause: error });
  }
  if (!(await isInstalled())) {
    throw new CannotRun('npm installed a different version than requested');
  }
}

async function isInstalled(): Promise<boolean> {
  return (
    existsSync(MAIN) &&
    (await versionIn('@portkey-ai/gateway')) === VERSION &&
    (await versionIn('@hono/node-server')) === NODE_SERVER_VERSION
  );
}

async function versionIn(name: string): Promise<string | undefined> {
  try {
    const text = await readFile(join(FOLDER, 'node_modules', name, 'package.json'), 'utf8');
    return PackageManifest.parse(JSON.parse(text)).version;
  } catch {
    return undefined;
  }
}
