import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { connectBus } from '@sluice/bus';
import { apiKeyDigest, mintApiKey } from '@sluice/contracts';
import { useLeakCheck, useStack } from '@sluice/devkit';
import { expect, test } from 'vitest';
import { complete, everyOperation, getModels } from './api-requests.ts';
import { logger } from './catalog-under-test.ts';
import { StackCommand, sluice } from './sluice-command.ts';

useLeakCheck({ timeoutMs: 10_000 });

const stack = useStack({ environment: { LOG_LEVEL: 'trace' } });
const EXAMPLE = join(import.meta.dirname, '../../../deploy/examples/sluice.yaml');

/** The key of the demo alone is kept, in a file that only its owner may read. */
const DEMO_KEY_FILE = 'demo-key.json';

/** The names and contents of all files, except the demo's key. */
async function contentOf(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name !== DEMO_KEY_FILE);
  const contents = await Promise.all(
    files.map(async ({ parentPath, name }) => {
      const path = join(parentPath, name);
      return `${path}\n${await readFile(path, 'latin1')}`;
    }),
  );
  return contents.join('\n');
}

test('stored state, logs and bus traffic of a full run contain no credential', async () => {
  await using bus = await connectBus({ servers: [stack().natsUrl], name: 'listener', logger });
  const traffic: string[] = [];
  bus.subscribe('>', ({ subject, headers, data }) => {
    traffic.push(`${subject} ${JSON.stringify(headers)} ${Buffer.from(data).toString('latin1')}`);
  });
  await bus.flush();
  const { apiRoot, state } = stack();
  const command = new StackCommand(stack());

  // Typical calls of an operator.
  const applied = await sluice(['apply', '-f', EXAMPLE, '--state', state]);
  expect(applied.code).toBe(0);
  const { id, key } = await command.createKey('harbour-app');
  const { key: exhausted } = await command.createKey('lantern-site', '--expires', '90d');
  const token = await command.playgroundToken('harbour-app');
  const shown = [
    await command.run('keys', 'list'),
    await command.run('get', 'api_keys', '--json'),
    await command.run('export'),
  ];
  // Requests with valid and invalid credentials, also in wrong places.
  const unknown = mintApiKey();
  const credentials = [stack().apiKey, key, exhausted, token, unknown, `${key}x`, `${token}x`];
  for (const credential of credentials) await everyOperation(apiRoot, credential);
  await complete(apiRoot, stack().apiKey, { model: 'sluice-small', stream: false });
  await getModels(apiRoot, stack().apiKey, key);
  await getModels(`${apiRoot}/${key}`, stack().apiKey);
  await fetch(`${apiRoot}/models?api_key=${key}`, { headers: { authorization: `Basic ${key}` } });
  await complete(apiRoot, stack().apiKey, { model: key });
  await complete(apiRoot, stack().apiKey, { [key]: key });
  // An operator gives the key in place of its id.
  await command.run('keys', 'revoke', exhausted);
  await command.run('get', 'api_keys', key);
  await command.json('keys', 'revoke', id);
  expect((await getModels(apiRoot, key)).status).toBe(401);
  shown.push(await command.run('audit', '--json', '--limit', '1000'));
  await bus.flush();
  expect(await stack().stop()).toBe(0);

  const places = {
    'the bus': traffic.join('\n'),
    'the state folder and the logs': await contentOf(state),
    'what commands show': JSON.stringify(shown),
  };
  // The search covers the right data: the digest is stored, jobs were sent, requests were logged.
  expect(places['the state folder and the logs']).toContain(apiKeyDigest(key).toString('hex'));
  expect(places['the state folder and the logs']).toContain('"msg":"changed"');
  expect(places['the bus']).toContain(apiKeyDigest(key).toString('hex'));
  expect(places['the bus']).toContain('.job.');
  expect(places['what commands show']).toContain(id);
  for (const credential of credentials) {
    for (const [place, content] of Object.entries(places)) {
      // A part of a secret must not appear either.
      const telling = credential.slice(0, 30);
      expect(content.includes(telling), `a credential in ${place}`).toBe(false);
    }
  }
});
