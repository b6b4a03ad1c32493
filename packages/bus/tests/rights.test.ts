import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, PermissionViolationError } from '@nats-io/transport-node';
import { natsAccountsFile, natsChartValues } from '@sluice/contracts';
import { useLeakCheck, waitUntil } from '@sluice/devkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SHIPPED_FORMS, startGuardedNats } from './guarded-nats.ts';
import { PROBES, USERS, type User } from './rights-probes.ts';

useLeakCheck();
const NEVER_ALLOWED = 'end.of.the.probes';
const isPattern = (subject: string) => /[*>]/.test(subject);
const published = PROBES.filter(({ subject }) => !isPattern(subject));

/** The operations that the server refused to this user. */
async function refusedTo(login: { servers: string; user: string; pass: string }) {
  const connection = await connect({ ...login, noEcho: true });
  const refused = { publish: new Set<string>(), subscription: new Set<string>() };
  const following = (async () => {
    for await (const status of connection.status()) {
      if (status.type !== 'error' || !(status.error instanceof PermissionViolationError)) continue;
      refused[status.error.operation].add(status.error.subject);
    }
  })();
  for (const { subject } of PROBES) {
    connection.subscribe(subject, { callback: () => undefined });
    connection.subscribe(subject, { queue: 'a-group', callback: () => undefined });
  }
  for (const { subject } of published) connection.publish(subject);
  connection.publish(NEVER_ALLOWED);
  // The server answers in order, so this refusal comes last.
  await waitUntil(() => refused.publish.has(NEVER_ALLOWED), { what: 'the last refusal' });
  await connection.close();
  await following;
  return refused;
}

const sorted = (texts: Iterable<string>) => Array.from(new Set(texts)).toSorted();

describe.each(Object.entries(SHIPPED_FORMS))('the rights of %s', (_, form) => {
  let nats: Awaited<ReturnType<typeof startGuardedNats>>;
  beforeAll(async () => {
    nats = await startGuardedNats(form);
  });
  afterAll(async () => {
    await nats[Symbol.asyncDispose]();
  });

  it.each(USERS)('give %s what it needs, and nothing else', async (user: User) => {
    const refused = await refusedTo(nats.loginOf(user));
    const publish = published.filter(({ subject }) => !refused.publish.has(subject));
    const subscribe = PROBES.filter(({ subject }) => !refused.subscription.has(subject));
    expect({
      publish: sorted(publish.map(({ subject }) => subject)),
      subscribe: sorted(subscribe.map(({ subject }) => subject)),
    }).toEqual({
      publish: sorted(
        published.filter((one) => one.publish.includes(user)).map(({ subject }) => subject),
      ),
      subscribe: sorted(
        PROBES.filter((one) => one.subscribe.includes(user)).map(({ subject }) => subject),
      ),
    });
  });

  it('refuse a connection without a user', async () => {
    await expect(connect({ servers: nats.address })).rejects.toThrow(/authorization/i);
  });
});

it('the shipped files are as `npm run generate` writes them', async () => {
  const shipped = (path: string) =>
    readFile(join(import.meta.dirname, '../../../deploy', path), 'utf8');
  expect(await shipped('nats/accounts.conf')).toBe(natsAccountsFile());
  expect(JSON.parse(await shipped('helm/nats-accounts.json'))).toEqual(natsChartValues());
});
