import { glob, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useLeakCheck } from '@sluice/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { runSluice, sluiceProcess } from './run-sluice.ts';

useLeakCheck({ timeoutMs: 10_000 });

test('a record of the catalog that NATS cannot read is named, and skipped when that is asked for', async () => {
  const state = await mkdtemp(join(tmpdir(), 'sluice-damaged-'));
  onTestFinished(() => rm(state, { recursive: true, force: true }));
  const up = ['up', '--port', '0', '--state', state];
  const first = runSluice(up);
  await first.ready();
  first.signal('SIGINT');
  await first.ended;
  for await (const file of glob('nats/**/KV_sluice-catalog/msgs/*.blk', { cwd: state })) {
    const bytes = await readFile(join(state, file));
    const at = bytes.indexOf('"sluice-strict"');
    expect(at).toBeGreaterThan(0);
    bytes[at + 1] = 0x53;
    await writeFile(join(state, file), bytes);
  }
  const { code, stderr } = await sluiceProcess(up);
  expect(stderr).toMatch(/catalog does not start \(exit code 2\); its last words:/);
  expect(stderr).toMatch(
    /NATS cannot read 1 of the records of the bucket sluice-catalog: \S*sluice-strict \(revision \d+\)/,
  );
  expect(stderr).toContain('CATALOG_SKIP_DAMAGED=true');
  expect(code).toBe(1);
  const second = runSluice(up, { CATALOG_SKIP_DAMAGED: 'true' });
  await second.ready();
});
