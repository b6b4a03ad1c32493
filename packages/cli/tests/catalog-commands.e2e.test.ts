import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useLeakCheck, useStack, waitUntil } from '@sluice/devkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sluice } from './run-sluice.ts';
import { createTenant } from './tenant.ts';

useLeakCheck({ timeoutMs: 10_000 });

const stack = useStack();
const example = join(import.meta.dirname, '../../../deploy/examples/sluice.yaml');
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-files-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

const run = async (...parameters: string[]) => sluice([...parameters, '--state', stack().state]);

/** Runs a command that must succeed and returns its JSON output. */
async function json(...parameters: string[]): Promise<unknown> {
  const { code, stdout, stderr } = await run(...parameters, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

async function file(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

async function models(key: string): Promise<Response> {
  return fetch(`${stack().apiRoot}/models`, { headers: { authorization: `Bearer ${key}` } });
}

describe('applying a file', () => {
  test('shows the changes without making them in a dry run', async () => {
    const { code, stdout } = await run('apply', '-f', example, '--dry-run');
    expect(stdout).toContain('+ organizations/harbour\n');
    const created = stdout.match(/^\+ /gm)?.length;
    expect(stdout).toMatch(
      new RegExp(`\\n${created} to create, 0 to change, 0 to delete, \\d+ unchanged\\n$`),
    );
    expect(code).toBe(0);
    expect(await json('organizations')).toHaveLength(1);
  });

  test('reads it from standard input if the file is -', async () => {
    const main = join(import.meta.dirname, '../src/main.ts');
    const command = ['apply', '-f', '-', '--dry-run', '--state', stack().state];
    const { status, stdout } = spawnSync(process.execPath, [main, ...command], {
      input: await readFile(example),
      encoding: 'utf8',
    });
    expect(stdout).toContain('+ organizations/harbour\n');
    expect(status).toBe(0);
  });

  test('creates everything in it, and changes nothing the second time', async () => {
    expect((await run('apply', '-f', example)).stdout).toMatch(/\ndone\n$/);
    expect(await json('apply', '-f', example)).toMatchObject({ changes: [] });
  });

  test('changes and deletes what the file changed, and does not change the demo entries', async () => {
    const small = await file(
      'small.yaml',
      'projects: [{ id: harbour-app, organization: harbour }]',
    );
    const { stdout } = await run('apply', '-f', small);
    expect(stdout).toContain('- projects/orchard-bot\n');
    const projects = await json('get', 'projects');
    expect(projects).toEqual([
      { id: 'demo', organization: 'demo' },
      { id: 'harbour-app', organization: 'harbour' },
    ]);
    expect((await models(stack().apiKey)).status).toBe(200);
  });

  test('applying an export changes nothing', async () => {
    const { stdout } = await run('export');
    const exported = await file('exported.yaml', stdout);
    expect(await json('apply', '-f', exported)).toMatchObject({ changes: [] });
  });

  test('a file with mistakes changes nothing and names them', async () => {
    const bad = await file('bad.yaml', 'organizations: [{ id: x, plan: nowhere }]\nplan: []\n');
    const { code, stderr } = await run('apply', '-f', bad);
    expect(stderr).toMatch(/^sluice apply: .*bad\.yaml cannot be applied:\n.*plan/);
    expect(code).toBe(2);
  });

  test('a reference to a missing resource changes nothing', async () => {
    const dangling = await file(
      'dangling.yaml',
      'accounts: []\nplans: [{ id: new, limits: {} }]\n',
    );
    const { code, stderr } = await run('apply', '-f', dangling);
    expect(stderr).toContain('organization harbour refers to account ada@harbour.example');
    expect(code).toBe(2);
    expect(JSON.stringify(await json('get', 'plans'))).not.toContain('"new"');
  });

  test('at the same time from two files succeeds, and the catalog matches one of them', async () => {
    const account = (id: number, access: string) => `  - { id: many-${id}, access: ${access} }`;
    const accounts = (access: string) =>
      `accounts:\n${Array.from({ length: 40 }, (_, id) => account(id, access)).join('\n')}\n`;
    const others = (await run('export')).stdout
      .split('accounts:\n')[1]
      ?.split('\norganizations')[0];
    const files = await Promise.all(
      ['granted', 'waiting'].map(async (access) =>
        file(`${access}.yaml`, `${accounts(access)}${others ?? ''}\n`),
      ),
    );
    const results = await Promise.all(files.map(async (path) => run('apply', '-f', path)));
    expect(results.map(({ code, stderr }) => ({ code, stderr }))).toEqual([
      { code: 0, stderr: '' },
      { code: 0, stderr: '' },
    ]);
    // For each account the last writer wins. Applying either file again completes it.
    const [granted = ''] = files;
    await json('apply', '-f', granted);
    expect(await json('apply', '-f', granted)).toMatchObject({ changes: [] });
    const before = await file('before.yaml', `accounts:\n${others ?? ''}\n`);
    const { code, stderr } = await run('apply', '-f', before);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/would delete 40 of 4\d accounts/)]);
    expect(await json('apply', '-f', before, '--delete-many')).toMatchObject({
      changes: { length: 40 },
    });
  });

  test('completes after the catalog was killed and restarted, and nothing is lost', async () => {
    const plans = Array.from({ length: 300 }, (_, id) => `  - { id: plan-${id}, limits: {} }`);
    const others = (await run('export')).stdout.split('plans:\n')[1]?.split('\nmodels')[0];
    const many = await file('plans.yaml', `plans:\n${plans.join('\n')}\n${others ?? ''}\n`);
    const before = await stack().service('catalog');
    const applying = run('apply', '-f', many);
    const written = await waitUntil(
      async () => {
        const { stdout } = await run('get', 'plans');
        return stdout.includes('plan-1 ') && stdout;
      },
      { what: 'the first plans to be written', everyMs: 1 },
    );
    expect(written).not.toContain('plan-299 ');
    await stack().kill('catalog');
    const { code, stderr } = await applying;
    await stack().restarted(before);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(await json('apply', '-f', many)).toMatchObject({ changes: [] });
  });
});

describe('keys', () => {
  test('that are new work, and a revoked key is refused within a second', async () => {
    const created = (await json('keys', 'create', '--project', 'harbour-app')) as {
      id: string;
      key: string;
    };
    expect((await models(created.key)).status).toBe(200);
    expect((await run('keys', 'revoke', created.id)).code).toBe(0);
    await waitUntil(async () => (await models(created.key)).status === 401, {
      what: 'the key to be refused',
      timeoutMs: 1_000,
    });
    const { stdout } = await run('keys', 'list', '--project', 'harbour-app');
    expect(stdout).toMatch(new RegExp(`^${created.id} .* revoked `, 'm'));
    expect(stdout).not.toContain(created.key);
  });

  test('are listed without the keys themselves and their digests', async () => {
    const listed = JSON.stringify(await json('keys', 'list'));
    expect(listed).not.toContain('sha256');
    expect(listed).not.toContain(stack().apiKey);
  });

  test('are not created for an account that waits for access', async () => {
    const owner =
      'projects: [{ id: newcomer-first, organization: newcomer }, { id: harbour-app, organization: harbour }]';
    await json('apply', '-f', await file('newcomer.yaml', owner));
    const { code, stderr } = await run('keys', 'create', '--project', 'newcomer-first');
    expect(stderr).toContain('is waiting for platform access and cannot create API keys');
    expect(code).toBe(1);
  });

  test.each(['create', 'list'])('%s: an unknown project is reported', async (verb) => {
    const { code, stderr } = await run('keys', verb, '--project', 'nowhere');
    expect(stderr).toBe(
      "sluice keys: there is no project nowhere; 'sluice get projects' lists them\n",
    );
    expect(code).toBe(1);
  });
});

test('a playground credential is accepted like a key', async () => {
  const { stdout } = await run('playground', 'token', '--project', 'demo');
  expect((await models(stdout.trim())).status).toBe(200);
});

test('the audit log has the author of each change, without secrets', async () => {
  const records = (await json('audit', '--limit', '5000')) as { who: string; kind: string }[];
  expect(records.length).toBeGreaterThan(20);
  expect(new Set(records.map(({ who }) => who))).toContain('sluice');
  const kinds = new Set(records.map(({ kind }) => kind));
  for (const kind of ['plans', 'models', 'accounts', 'organizations', 'projects', 'api_keys']) {
    expect(kinds).toContain(kind);
  }
  expect(JSON.stringify(records)).not.toMatch(/sha256|sk-[0-9A-Za-z]{40}/);
});

describe('limits', () => {
  test('show what a request has cost, and reading them costs nothing', async () => {
    // The limit is low, so that the window takes longer to refill one request than the commands run.
    const { organization, key } = await createTenant(stack(), 'frugal', {
      requests_per_minute: 2,
      requests_per_day: 50,
    });
    const look = async () =>
      (await json('limits', organization)) as {
        limits: Record<
          'requests_per_minute' | 'requests_per_day',
          { limit: number; remaining: number }
        >;
      };
    expect((await look()).limits).toMatchObject({
      requests_per_minute: { limit: 2, remaining: 2 },
      requests_per_day: { limit: 50, remaining: 50 },
    });
    const untouched = (await run('limits', organization)).stdout;
    expect(untouched).toMatch(/^requests a minute +2 +2 +now$/m);
    expect(untouched).toMatch(/^requests a day \(UTC\) +50 +50 +now$/m);
    expect(untouched).toMatch(/^tokens a day \(UTC\) +unlimited/m);
    expect((await models(key)).status).toBe(200);
    for (let time = 0; time < 2; time += 1) {
      expect((await look()).limits).toMatchObject({
        requests_per_minute: { limit: 2, remaining: 1 },
        requests_per_day: { limit: 50, remaining: 49 },
      });
    }
    const touched = (await run('limits', organization)).stdout;
    expect(touched).toMatch(/^requests a minute +2 +1 +in \d+ s$/m);
    expect(touched).toMatch(/^requests a day \(UTC\) +50 +49 +in \d/m);
  });

  test('of an unknown organization are an error', async () => {
    const { code, stderr } = await run('limits', 'nobody');
    expect(stderr).toContain('there is no organization nobody');
    expect(code).toBe(1);
  });
});

describe('a catalog in another deployment', () => {
  const access = () => ({ address: stack().adminAddress, token: stack().adminToken });

  test('is reached by address and token', async () => {
    const { address, token } = access();
    const { code, stdout } = await sluice(['get', 'plans', '--address', address], {
      // A token read from a file ends with a line break.
      SLUICE_ADMIN_TOKEN: `${token}\n`,
    });
    expect(stdout).toMatch(/^demo +100000/m);
    expect(code).toBe(0);
  });

  test('is reported as refusing a wrong token', async () => {
    const { address } = access();
    const { code, stderr } = await sluice(['get', 'plans', '--address', address], {
      SLUICE_ADMIN_TOKEN: 'a-token-that-nobody-gave-out',
    });
    expect(stderr).toBe(`sluice get: the catalog at ${address} does not accept this token\n`);
    expect(code).toBe(1);
  });

  test('is reported if it does not exist', async () => {
    const { code, stderr } = await sluice(['get', 'plans', '--address', '127.0.0.1:9'], {
      SLUICE_ADMIN_TOKEN: 'a-token-that-nobody-gave-out',
    });
    expect(stderr).toBe(
      'sluice get: the catalog at 127.0.0.1:9 does not answer; try again when it is up\n',
    );
    expect(code).toBe(1);
  });
});

describe('commands beside apply', () => {
  test('an organization is created, changed and deleted', async () => {
    const created = await run('organizations', 'create', 'quay', '--plan', 'demo');
    expect(created).toMatchObject({ code: 0, stdout: '+ organizations/quay\n' });
    const changed = await run('organizations', 'set', 'quay', '--member', 'demo', '--weight', '2');
    expect(changed.stdout).toMatch(/^~ organizations\/quay {2}.*weight: \(none\) -> 2/);
    await run('limits', 'set', 'quay', '--requests-per-day', '1000');
    expect(await json('organizations', 'quay')).toMatchObject({
      plan: 'demo',
      weight: 2,
      members: [{ account: 'demo', active: true }],
      limits: { requests_per_day: 1000 },
    });
    const { stdout } = await run('limits', 'quay', '--output', 'csv');
    expect(stdout).toMatch(/^requests_per_day,1000,1000,/m);
    expect((await run('organizations', 'set', 'quay', '--weight', '2')).stdout).toContain(
      'already',
    );
    expect((await run('organizations', 'delete', 'quay')).code).toBe(0);
    expect((await run('organizations', 'quay')).code).toBe(1);
  });

  test.each([
    [['organizations', 'create', 'x', '--plan', 'nowhere'], 1, /plan nowhere/],
    [['organizations', 'set', 'demo', '--billing', 'maybe'], 2, /billing/],
    [['organizations', 'set', 'demo'], 2, /name a field/],
    [['organizations', 'delete', 'demo'], 1, /demo/],
    [['organizations', 'creat', 'x'], 2, /did you mean 'create'/],
  ])('%j is refused', async (parameters, code, message) => {
    const result = await run(...parameters);
    expect(result.stderr).toMatch(message);
    expect(result.code).toBe(code);
  });

  test('a rotated key has the fields of the old key, and the old key is refused', async () => {
    const old = (await json('keys', 'create', '--project', 'demo', '--name', 'bot')) as {
      id: string;
      key: string;
    };
    const { stdout } = await run('keys', 'rotate', old.id);
    const [key = ''] = stdout.split('\n');
    expect((await models(key)).status).toBe(200);
    await waitUntil(async () => (await models(old.key)).status === 401, {
      what: 'the old key to be refused',
    });
    const listed = await run('keys', 'list', '--project', 'demo');
    expect(listed.stdout.match(/ bot /g)).toHaveLength(2);
  });
});
