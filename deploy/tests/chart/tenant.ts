import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import * as z from 'zod';
import { allOf, type Manifest } from './manifest.ts';
import { containerOf, environmentHere, runNode, type SecretFiles } from './run-container.ts';

const SLUICE = 'packages/cli/src/main.ts';
const JOB = 'acme-sluice-apply-catalog';

/** A catalog file with one tenant and one model. */
export const CATALOG_FILE = `
plans:
  - id: open
    limits: { requests_per_minute: 60, requests_per_day: null, tokens_per_minute: null, tokens_per_day: null }
    models: ['*']
models:
  - id: demo
    owned_by: acme
    context_length: 32768
    max_output_tokens: 4096
    pool: default
    runtime_model: sluice-demo
accounts:
  - { id: ada, access: granted, onboarding: complete }
organizations:
  - { id: acme, plan: open, retention: zero, billing: ok, members: [{ account: ada }] }
projects:
  - { id: acme-app, organization: acme }
`;

interface CatalogAccess {
  readonly manifests: readonly Manifest[];
  readonly adminAddress: string;
  readonly files: SecretFiles;
}

/** Runs the Job of the chart, with the address of the catalog on this machine. */
export async function runApplyJob({
  manifests,
  adminAddress,
  files,
}: CatalogAccess): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-chart-'));
  try {
    const file = join(folder, 'sluice.yaml');
    const [configMap] = allOf(manifests, 'ConfigMap');
    await writeFile(file, configMap?.data['sluice.yaml'] ?? '');
    const replacements: Record<string, string> = {
      '/etc/sluice/catalog/sluice.yaml': file,
      'acme-sluice-catalog-admin.tenants.svc:7003': adminAddress,
    };
    const { args = [] } = containerOf(manifests, JOB);
    const argsHere = args.map((argument) => replacements[argument] ?? argument);
    expect(argsHere).toEqual(['apply', '--file', file, '--address', adminAddress]);
    await runNode([SLUICE, ...argsHere], environmentHere(manifests, JOB, files));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Creates an API key of the tenant, in the environment of the Job. */
export async function createKey({
  manifests,
  adminAddress,
  files,
}: CatalogAccess): Promise<string> {
  const made = await runNode(
    [SLUICE, 'keys', 'create', '--project', 'acme-app', '--json', '--address', adminAddress],
    environmentHere(manifests, JOB, files),
  );
  return z.object({ key: z.string() }).parse(JSON.parse(made)).key;
}

/** Asks, in the environment of the Job, what is left of the limits of the tenant. */
export async function limitsLeft({
  manifests,
  adminAddress,
  quotaAddress,
  files,
}: CatalogAccess & { readonly quotaAddress: string }): Promise<unknown> {
  const addresses = ['--address', adminAddress, '--quota', quotaAddress];
  const environment = environmentHere(manifests, JOB, files);
  return JSON.parse(await runNode([SLUICE, 'limits', 'acme', '--json', ...addresses], environment));
}

export function complete(
  gatewayUrl: string,
  key: string,
  parameters: object = {},
): Promise<Response> {
  return fetch(`${gatewayUrl}/compat/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'demo',
      messages: [{ role: 'user', content: 'Hello!' }],
      ...parameters,
    }),
  });
}
