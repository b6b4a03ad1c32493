import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cannotRun } from '@sluice/devkit';
import { findFreePort } from '@sluice/servers';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { EXAMPLES } from './example-values.ts';
import { helmMissing, renderChart } from './helm.ts';
import { oneOf } from './manifest.ts';
import { runNode } from './run-container.ts';
import { CATALOG_FILE } from './tenant.ts';

const Failure = z.object({ code: z.int() });

async function renderJob() {
  const manifests = await renderChart(EXAMPLES.everything);
  return oneOf(manifests, 'Job', 'acme-sluice-apply-catalog').spec;
}

/** The exit code of `sluice apply` for this file, if no catalog can be reached. */
async function exitCodeWith(file: string): Promise<number> {
  await using folders = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'sluice-chart-'));
  folders.defer(() => rm(folder, { recursive: true }));
  const path = join(folder, 'sluice.yaml');
  await writeFile(path, file);
  const address = `127.0.0.1:${await findFreePort()}`;
  const parameters = ['packages/cli/src/main.ts', 'apply', '--file', path, '--address', address];
  try {
    await runNode(parameters, { SLUICE_ADMIN_TOKEN: 'any' });
    return 0;
  } catch (error) {
    return Failure.parse(error).code;
  }
}

const missing = helmMissing();
describe.skipIf(cannotRun('the Job of the Helm chart as Helm renders it', missing))(
  'the Job that applies the catalog',
  () => {
    test('leaves the pod of each attempt, so that its log can be read', async () => {
      const { template } = await renderJob();
      expect(template.spec.restartPolicy).toBe('Never');
    });

    test('is tried again, except with a file that is wrong', async () => {
      const { podFailurePolicy, template } = await renderJob();
      const wrong = await exitCodeWith('plans: 1\n');
      const unreachable = await exitCodeWith(CATALOG_FILE);
      expect(unreachable).not.toBe(0);
      expect(unreachable).not.toBe(wrong);
      const [container] = template.spec.containers;
      expect(podFailurePolicy.rules).toEqual([
        {
          action: 'FailJob',
          onExitCodes: { containerName: container?.name, operator: 'In', values: [wrong] },
        },
      ]);
    });
  },
);
