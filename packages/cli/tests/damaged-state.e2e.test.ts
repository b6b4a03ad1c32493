import { glob, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useLeakCheck } from '@sluice/devkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runSluice, sluiceProcess, WITHOUT, type SluiceRun } from './run-sluice.ts';

useLeakCheck({ timeoutMs: 10_000 });

let state = '';
let up: string[] = [];

beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), 'sluice-damaged-'));
  up = ['up', '--port', '0', '--state', state, ...WITHOUT];
});

afterAll(async () => {
  await rm(state, { recursive: true, force: true });
});

async function stop(run: SluiceRun): Promise<void> {
  run.signal('SIGINT');
  await run.ended;
}

/** Changes the files of the state folder that match, and returns a function that puts them back. */
async function damage(
  pattern: string,
  change: (content: Buffer) => Buffer,
): Promise<() => Promise<void>> {
  const before = new Map<string, Buffer>();
  for await (const path of glob(pattern, { cwd: state })) {
    const file = join(state, path);
    before.set(file, await readFile(file));
    await writeFile(file, change(await readFile(file)));
  }
  expect(before.size).toBeGreaterThan(0);
  return async () => {
    for (const [file, content] of before) await writeFile(file, content);
  };
}

const garbage = () => Buffer.from('garbage\n');
const oneLine = (text: string) => text.trimEnd().split('\n').length === 1;

// Each test uses the state folder of the previous test.
test('a second stack in the same folder is refused while the first one runs', async () => {
  const first = runSluice(up);
  await first.ready();
  const { code, stderr } = await sluiceProcess(up);
  expect(stderr).toMatch(new RegExp(`^sluice up: a stack is already running from .*${first.pid}`));
  expect(oneLine(stderr)).toBe(true);
  expect(code).toBe(2);
  await stop(first);
});

test('damage in the data of Redis is reported in one line', async () => {
  const repair = await damage('redis/appendonlydir/*.manifest', garbage);
  const { code, stderr } = await sluiceProcess(up);
  expect(stderr).toMatch(/is damaged: Redis cannot read its data there/);
  expect(oneLine(stderr)).toBe(true);
  expect(code).toBe(2);
  await repair();
});

test('an entry of the catalog that cannot be read is named, and skipped on request', async () => {
  await damage('nats/**/KV_sluice-catalog/msgs/*.blk', (bytes) => {
    const at = bytes.indexOf('"sluice-strict"');
    expect(at).toBeGreaterThan(0);
    bytes[at + 1] = 0x53;
    return bytes;
  });
  const { code, stderr } = await sluiceProcess(up);
  expect(stderr).toMatch(/catalog does not start \(exit code 2\); the end of its log:/);
  expect(stderr).toMatch(
    /NATS cannot read 1 of the records of the bucket sluice-catalog: \S*sluice-strict \(revision \d+\)/,
  );
  expect(stderr).toContain('CATALOG_SKIP_DAMAGED=true');
  expect(code).toBe(1);
  const second = runSluice(up, { CATALOG_SKIP_DAMAGED: 'true' });
  await second.ready();
  await stop(second);
});

test('data that NATS has lost is reported in one line', async () => {
  await damage('nats/**/meta.inf', garbage);
  const { code, stderr } = await sluiceProcess(up);
  expect(stderr).toMatch(/is damaged: NATS has lost a part of its data there/);
  expect(oneLine(stderr)).toBe(true);
  expect(code).toBe(2);
});
