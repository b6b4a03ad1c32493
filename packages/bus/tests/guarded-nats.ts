import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  serverAccounts,
  type BusAccount,
  type BusUser,
  type SharedSubject,
} from '@sluice/contracts';
import { NatsProcess } from './nats-process.ts';

export const PASSWORD = 'secret-of-a-test';
const root = join(import.meta.dirname, '../../..');
const read = (path: string) => readFile(join(root, path), 'utf8');

/** Every shipped form of the rights, as a configuration of nats-server. */
export const SHIPPED_FORMS: Readonly<Record<string, () => Promise<string>>> = {
  'compose, and nats-server by itself': () => read('deploy/nats/accounts.conf'),
  'the Helm chart of NATS': async () =>
    chartConfiguration(await read('deploy/helm/nats-accounts.json')),
  'the documentation': async () =>
    documentedConfiguration(await read('docs/operations/nats-users.md')),
};

/** The configuration that the chart makes of the values to merge: JSON, in which `<< >>` is removed with its quotes. */
function chartConfiguration(values: string): string {
  const { config } = JSON.parse(values) as { config: { merge: object } };
  const merged = JSON.stringify(config.merge, undefined, 2);
  return merged.replaceAll(/"<< (.*?) >>"/g, '$1');
}

/** The configuration from the tables of the page: the account of each user, its rights, and what the accounts share. */
function documentedConfiguration(documentation: string): string {
  const accounts: Record<string, BusAccount> = {};
  const rights: Record<string, { publish: string[]; subscribe: string[] }> = {};
  const shared: SharedSubject[] = [];
  let user = '';
  for (const line of documentation.split('\n')) {
    user = /^### The user `([^`]+)`$/.exec(line)?.[1] ?? user;
    const [first = '', second = '', third = '', fourth = ''] = line.split('|').slice(1);
    const kind = first.trim();
    const [code = ''] = codesIn(second);
    if (isAccount(code)) {
      accounts[codesIn(first)[0] ?? ''] = code;
    } else if (kind === 'publish' || kind === 'subscribe') {
      (rights[user] ??= { publish: [], subscribe: [] })[kind].push(code);
    } else if (kind === 'service' || kind === 'stream') {
      const [from = '', to = ''] = [...codesIn(third), ...codesIn(fourth)];
      if (isAccount(from) && isAccount(to)) shared.push({ kind, subject: code, from, to });
    }
  }
  const users: Record<string, BusUser> = {};
  for (const [name, account] of Object.entries(accounts)) {
    users[name] = { account, ...(rights[name] ?? { publish: [], subscribe: [] }) };
  }
  return JSON.stringify({ accounts: serverAccounts(users, shared, () => PASSWORD) });
}

function codesIn(cell: string): string[] {
  return Array.from(cell.matchAll(/`([^`]+)`/g), ([, code = '']) => code);
}

function isAccount(text: string): text is BusAccount {
  return text === 'STORE' || text === 'BUS';
}

/** A NATS server that accepts only the users of a shipped form, all with the same password. */
export async function startGuardedNats(form: () => Promise<string>) {
  await using starting = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'sluice-guarded-'));
  starting.defer(() => rm(folder, { recursive: true }));
  const settings = await writeSettings(folder, form);
  const nats = starting.use(await NatsProcess.guarded('-c', settings));
  const running = starting.move();
  return {
    address: nats.address,
    /** Options for a connection with the client itself. */
    loginOf: (user: string) => ({ servers: nats.address, user, pass: PASSWORD }),
    urlOf: (user: string) => `nats://${user}:${PASSWORD}@${nats.address}`,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Writes a configuration file for the server, with the same password for each user. */
export async function writeSettings(folder: string, form: () => Promise<string>): Promise<string> {
  const configuration = await form();
  const settings = join(folder, 'nats.conf');
  await writeFile(settings, configuration.replaceAll(/\$NATS_\w+_PASSWORD/g, `"${PASSWORD}"`));
  return settings;
}
