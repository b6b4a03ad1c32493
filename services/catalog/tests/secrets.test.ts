import { once } from 'node:events';
import { connect } from 'node:http2';
import { connectBus } from '@sluice/bus';
import { apiKeyDigest } from '@sluice/contracts';
import { useLeakCheck, useNats, waitUntil } from '@sluice/devkit';
import { connectCatalog } from '@sluice/rpc';
import { expect, it } from 'vitest';
import { CatalogProgram } from './catalog-program.ts';
import { ADMIN_TOKEN, logger } from './catalog-under-test.ts';
import { account, project } from './example-documents.ts';
import { createExamples } from './example-resources.ts';

useLeakCheck();
const nats = useNats({ own: true });

it('stored state, bus and logs never contain an API key, a token or a private key', async () => {
  const bucket = nats.namespace;
  await using bus = await connectBus({ servers: [nats.url], name: 'eavesdropper', logger });
  let traffic = '';
  bus.subscribe('>', ({ subject, data, headers }) => {
    traffic += `${subject} ${JSON.stringify(headers)} ${Buffer.from(data).toString('latin1')}\n`;
  });
  await bus.flush();

  const secrets: string[] = [ADMIN_TOKEN];
  await using program = await CatalogProgram.start({
    NATS_URL: nats.url,
    CATALOG_BUCKET: bucket,
    LOG_LEVEL: 'trace',
  });
  const { admin } = program;
  await createExamples(admin);
  const ordered = { project: project.id, name: 'laptop', creator: account.id };
  const { id, key } = await admin.createApiKey(ordered);
  const { key: second } = await admin.createApiKey(ordered);
  const { token } = await admin.issuePlaygroundToken({ project: project.id, account: account.id });
  secrets.push(key, second, token);
  await using client = connectCatalog({ addresses: [program.address], deadlineMs: 5_000, logger });
  for (const secret of [key, second, 'sk-unknown']) {
    await client.resolveCredential({ apiKeySha256: apiKeyDigest(secret) });
  }
  await client.resolveCredential({ playgroundToken: token });
  await client.resolveCredential({ playgroundToken: `${token}x` });
  await admin.revokeApiKey({ id });
  await admin.createApiKey({ ...ordered, project: 'gone' }).catch(() => undefined);
  await admin.createResource({ kind: 'api_keys', document: key }).catch(() => undefined);
  await admin.createResource({ kind: 'plans', document: key }).catch(() => undefined);
  await admin.getResource({ kind: 'plans', id: key }).catch(() => undefined);

  const store = await bus.openKeyValue({ bucket, replicas: 1, history: 64 });
  const { sequence: last } = await store.end();
  const changes = await store.changes({ from: 1, to: last });
  const stored = changes.map(({ value = [] }) => Buffer.from(value).toString('utf8')).join('\n');
  await waitUntil(() => traffic.includes(`"sequence":${last},"organizations"`), {
    what: 'the last announcement',
  });
  // Log lines are buffered for a moment.
  await program.stop();

  // The search covers the right data: it finds the digest and the names.
  expect(stored).toContain(apiKeyDigest(key).toString('hex'));
  expect(traffic).toContain(apiKeyDigest(key).toString('hex'));
  expect(program.output).toContain(id);
  expect(program.output).toContain('"msg":"changed"');
  const claims = Buffer.from(token.slice('pg-'.length).split('.')[0] ?? '', 'base64url');
  const { id: tokenId } = JSON.parse(claims.toString('utf8')) as { id: string };
  expect(program.output).toContain(
    `"by":"operator","id":"${tokenId}","project":"${project.id}","account":"${account.id}","msg":"issued a playground token"`,
  );
  for (const secret of secrets) {
    // A part of a secret must not appear either.
    const telling = secret.slice(0, 30);
    expect(stored).not.toContain(telling);
    expect(traffic).not.toContain(telling);
    expect(program.output).not.toContain(telling);
  }
  // The private key in the formats that Node exports.
  for (const place of [stored, traffic, program.output]) {
    expect(place).not.toMatch(/"d"\s*:|PRIVATE KEY|MC4CAQAwBQYDK2VwBCIEI/);
  }
});

/** A call that our clients do not send: with a non-ASCII character in the token. */
async function callWithForeignToken(address: string, token: string): Promise<void> {
  const session = connect(`http://${address}`);
  const call = session.request({
    ':method': 'POST',
    ':path': '/sluice.catalog.v1.CatalogAdmin/ListResources',
    'content-type': 'application/grpc',
    te: 'trailers',
    authorization: `Bearer ${token}\u00e9`,
  });
  const closed = once(call, 'close');
  call.resume().end(Buffer.alloc(5));
  await closed;
  session.close();
}

it('a token that gRPC cannot read is in no output', async () => {
  await using program = await CatalogProgram.start({
    NATS_URL: nats.url,
    CATALOG_BUCKET: `${nats.namespace}-foreign`,
  });
  await callWithForeignToken(program.adminAddress, ADMIN_TOKEN);
  await program.stop();
  expect(program.output).toContain('wrote to the console');
  expect(program.output).not.toContain(ADMIN_TOKEN);
});
