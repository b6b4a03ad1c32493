import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { documentedSettings } from '@sluice/devkit';

export const ROOT = join(import.meta.dirname, '../../..');

export async function readText(path: string): Promise<string> {
  return readFile(join(ROOT, path), 'utf8');
}

/** The folder of the program of each image. */
export const PROGRAMS: Readonly<Record<string, string>> = {
  gateway: 'services/gateway',
  quota: 'services/quota',
  catalog: 'services/catalog',
  usage: 'services/usage',
  console: 'services/console',
  worker: 'services/worker',
  simulator: 'packages/simulator',
  cli: 'packages/cli',
};

const SERVICES = ['gateway', 'quota', 'catalog', 'usage', 'console', 'worker'] as const;

/** The documented settings of a program, with their defaults. Tests of the services compare them with the code. */
export async function settingsOf(image: string): Promise<Record<string, string>> {
  const service = SERVICES.find((name) => name === image);
  if (service !== undefined) return documentedSettings(service);
  if (image === 'cli') return commandSettings();
  const text = await readText('packages/simulator/README.md');
  const rows = text.matchAll(/^\| `--[\w-]+` *\| `(\w+)` *\| *`?(.*?)`? *\|/gm);
  return Object.fromEntries(Array.from(rows, ([, name = '', fallback = '']) => [name, fallback]));
}

/** The variables of the sluice command: a token, an address, and the settings of a gateway for TLS and NATS. */
async function commandSettings(): Promise<Record<string, string>> {
  const ofGateway = Object.entries(await settingsOf('gateway'));
  const shared = ofGateway.filter(([name]) => /^(?:GRPC_\w+|NATS_\w+_FILE)$/.test(name));
  return { SLUICE_ADMIN_TOKEN: '', SLUICE_NATS_URL: '', ...Object.fromEntries(shared) };
}
