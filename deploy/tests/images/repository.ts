import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { documentedSettings } from '@sluice/testkit';

export const ROOT = join(import.meta.dirname, '../../..');

export async function readText(path: string): Promise<string> {
  return readFile(join(ROOT, path), 'utf8');
}

/** The folder of the program in each image. */
export const PROGRAMS: Readonly<Record<string, string>> = {
  gateway: 'services/gateway',
  quota: 'services/quota',
  catalog: 'services/catalog',
  worker: 'services/worker',
  simulator: 'packages/simulator',
  cli: 'packages/cli',
};

const SERVICES = ['gateway', 'quota', 'catalog', 'worker'] as const;

/** The settings of a program with their defaults, as documented: the services' tests hold the documents to the code. */
export async function settingsOf(image: string): Promise<Record<string, string>> {
  const service = SERVICES.find((name) => name === image);
  if (service !== undefined) return documentedSettings(service);
  if (image === 'cli') return commandSettings();
  const text = await readText('packages/simulator/README.md');
  const rows = text.matchAll(/^\| `--[\w-]+` *\| `(\w+)` *\| *`?(.*?)`? *\|/gm);
  return Object.fromEntries(Array.from(rows, ([, name = '', fallback = '']) => [name, fallback]));
}

/** What the command reads beside its options: a token, an address, and what a gateway is trusted by. */
async function commandSettings(): Promise<Record<string, string>> {
  const ofGateway = Object.entries(await settingsOf('gateway'));
  const shared = ofGateway.filter(([name]) => /^(?:GRPC_\w+|NATS_\w+_FILE)$/.test(name));
  return { SLUICE_ADMIN_TOKEN: '', SLUICE_NATS_URL: '', ...Object.fromEntries(shared) };
}
