import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useLeakCheck, waitUntil } from '@sluice/devkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { replayHistory } from './replay-history.ts';
import { useReplicatedStack } from './replicated-stack.ts';
import { killableSluice, sluiceApply, type CommandResult } from './sluice-command.ts';

useLeakCheck({ timeoutMs: 10_000 });

const replicated = useReplicatedStack();
const EXAMPLE = join(import.meta.dirname, '../../../deploy/examples/sluice.yaml');

// `apply` to the address of a catalog deletes everything that the file does not have, except for active keys. The keys
// of the stack are revoked, so that nothing prevents the deletion.
beforeAll(async () => {
  const { admins } = replicated();
  const { resources } = await admins[0].listResources({ kind: 'api_keys' });
  for (const { id } of resources) await admins[0].revokeApiKey({ id });
});

/** Applies at one of the catalogs, by its address. */
async function applyAt(
  index: 0 | 1,
  input: string,
  ...options: readonly string[]
): Promise<CommandResult> {
  const { stack } = replicated();
  const address = stack.adminAddresses[index] ?? '';
  return sluiceApply(input, ['--delete-many', '--address', address, ...options], {
    SLUICE_ADMIN_TOKEN: stack.adminToken,
  });
}

async function idsOf(kind: string): Promise<string[]> {
  const { admins } = replicated();
  return (await admins[0].listResources({ kind })).resources.map(({ id }) => id);
}

/** The given number of organizations, each with its own plan, account and project, which refer to each other. */
function chains(name: string, count: number, plan: object = {}): string {
  const ids = Array.from({ length: count }, (_, number) => `${name}-${number}`);
  return JSON.stringify({
    plans: ids.map((id) => ({ id, limits: {}, ...plan })),
    accounts: ids.map((id) => ({ id, access: 'granted', onboarding: 'complete' })),
    organizations: ids.map((id) => ({ id, plan: id, members: [{ account: id }] })),
    projects: ids.map((id) => ({ id, organization: id })),
  });
}

const NOTHING = JSON.stringify({ projects: [], organizations: [], accounts: [], plans: [] });

async function expectSoundHistory(): Promise<void> {
  const { admins } = replicated();
  for (const admin of admins) {
    const { changes, dangling, torn } = await replayHistory(admin);
    expect(changes).toBeGreaterThan(0);
    expect(dangling).toEqual([]);
    expect(torn).toEqual([]);
  }
}

/** Expects that the file can be applied, and that a second run has nothing to do. */
async function expectCompleteAfter(file: string): Promise<void> {
  const again = await applyAt(1, file);
  expect(again).toMatchObject({ code: 0, stderr: '' });
  const { stdout } = await applyAt(0, file, '--json');
  expect(JSON.parse(stdout)).toMatchObject({ changes: [] });
}

/** Waits until an apply has made some of its changes. */
async function underWay(name: string, count: number): Promise<void> {
  await waitUntil(
    async () => {
      const { length } = (await idsOf('organizations')).filter((id) => id.startsWith(name));
      if (length >= count - 1) throw new Error('it was done before it could be disturbed');
      return length > 2;
    },
    { what: 'the first organizations to be made', everyMs: 2 },
  );
}

describe('two applies at the same time, at two catalogs', () => {
  test('of the same file: each succeeds, and it is applied', async () => {
    const file = chains('same', 25);
    const results = await Promise.all([applyAt(0, file), applyAt(1, file)]);
    for (const result of results) expect(result).toMatchObject({ code: 0, stderr: '' });
    await expectCompleteAfter(file);
    await expectSoundHistory();
  });

  test('of contradicting files: no reference is ever broken', async () => {
    const [left, right] = [chains('left', 15), chains('right', 15)];
    const results = await Promise.all([applyAt(0, left), applyAt(1, right)]);
    // Each deletes what the other creates. Either may fail with a message, but no reference may break.
    for (const { code, stderr } of results) {
      expect([0, 1]).toContain(code);
      expect(stderr).toMatch(code === 0 ? /^$/ : /^sluice apply: .+/);
    }
    await expectSoundHistory();
    await expectCompleteAfter(left);
    expect((await idsOf('organizations')).filter((id) => id.startsWith('right'))).toEqual([]);
    await expectSoundHistory();
  });

  test('of a file that creates everything and one that deletes it', async () => {
    const file = chains('tide', 15);
    await Promise.all([applyAt(0, file), applyAt(1, NOTHING)]);
    await expectSoundHistory();
    await expectCompleteAfter(file);
    await expectCompleteAfter(NOTHING);
    expect(await idsOf('organizations')).toEqual([]);
  });
});

describe('an apply that is interrupted', () => {
  test.each(['catalog', 'nats'])('by a crash of %s: nothing is lost', async (victim) => {
    const { stack } = replicated();
    const count = 60;
    const file = chains(victim, count);
    const before = await stack.service(victim);
    const applying = applyAt(0, file);
    await underWay(victim, count);
    await stack.kill(victim);
    const { code, stderr } = await applying;
    await stack.restarted(before);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    await expectCompleteAfter(file);
    await expectSoundHistory();
    await expectCompleteAfter(NOTHING);
    await expectSoundHistory();
  });

  test('by the end of the command: the next run completes it', async () => {
    const { stack } = replicated();
    const count = 60;
    const file = chains('killed', count);
    const abort = new AbortController();
    const address = stack.adminAddresses[0] ?? '';
    const applying = killableSluice(['apply', '-f', '-', '--address', address], {
      input: file,
      environment: { SLUICE_ADMIN_TOKEN: stack.adminToken },
      killOn: abort.signal,
    });
    await underWay('killed', count);
    abort.abort();
    expect((await applying).code).toBeNull();
    await expectSoundHistory();
    await expectCompleteAfter(file);
    await expectCompleteAfter(NOTHING);
    await expectSoundHistory();
  });
});

/** Damage to a valid file by an editor, a disk, a merge or a mistake. */
const CORRUPTIONS: Readonly<Record<string, (good: string) => string>> = {
  'cut off within a string': (good) => good.slice(0, good.indexOf("'quill/*'") + 4),
  'cut off within a list': (good) => good.slice(0, good.indexOf('[low, high, max]') + 6),
  'indented wrongly': (good) => good.replace('    limits:\n', '   limits:\n'),
  'with an unknown field': (good) => good.replace('retention: zero', 'retentoin: zero'),
  'with an unknown value': (good) => good.replace('billing: exhausted', 'billing: empty'),
  'with an unknown kind': (good) => `${good}\nwidgets: []\n`,
  'with the same id twice': (good) => good.replace('- id: team', '- id: free'),
  'with a reference to nothing': (good) => good.replace('plan: enterprise', 'plan: nowhere'),
  'with a number for a list': () => 'plans: 7\n',
  'with the marks of a merge': (good) =>
    good.replace('    retention: zero', '<<<<<<< ours\n    retention: zero'),
  'of bytes that are no text': () =>
    Buffer.from(Array.from({ length: 512 }, (_, place) => (place * 37) % 256)).toString('latin1'),
};

describe('a corrupt file changes nothing, and the message names the fault', () => {
  let good = '';

  beforeAll(async () => {
    good = await readFile(EXAMPLE, 'utf8');
    await applyAt(0, good);
  });

  const position = async () => {
    const { admins } = replicated();
    return (await admins[1].listResources({ kind: 'plans' })).position;
  };

  test.each(Object.entries(CORRUPTIONS))('%s', async (_what, corrupt) => {
    const before = await position();
    expect(corrupt(good)).not.toBe(good);
    const { code, stdout, stderr } = await applyAt(0, corrupt(good));
    expect([1, 2]).toContain(code);
    expect(stderr).toMatch(/^sluice apply: .+/);
    expect(stderr).not.toMatch(/\n\s+at |Error:/);
    expect(stdout).toBe('');
    expect(await position()).toEqual(before);
  });

  test('and the valid file can still be applied', async () => {
    const { stdout } = await applyAt(1, good, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ changes: [] });
    await expectSoundHistory();
  });
});
