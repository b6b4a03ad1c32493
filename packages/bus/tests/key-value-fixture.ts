import { createInbox } from '@nats-io/transport-node';
import { waitUntil } from '@sluice/devkit';
import { createLogger } from '@sluice/service';
import { connectBus, type Bus, type KeyValueStore, type KeyValueWatcher } from '../src/index.ts';
import type { NatsProcess } from './nats-process.ts';

/** Shared by the tests of the store and of its watches. */

const logger = createLogger({ service: 'key-value-test', level: 'silent' });
export const bytes = (text: string): Buffer => Buffer.from(text);

export const connectTo = (server: { readonly port: number }, logTo = logger): Promise<Bus> =>
  connectBus({ servers: [`127.0.0.1:${server.port}`], name: 'store', logger: logTo });

/** A logger, and the lines written to it. */
export function keepLog() {
  const written: string[] = [];
  const destination = { write: (line: string) => void written.push(line) };
  return {
    loudLogger: createLogger({ service: 'key-value-test', level: 'info', destination }),
    lines: () => written.map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

/**
 * Answers in place of JetStream like a cluster without a leader. Returns a function that gives the number of answers.
 */
export function answerWithoutLeader(bus: Bus): () => number {
  const error = { code: 503, err_code: 10_008, description: 'no leader' };
  let refusals = 0;
  bus.subscribe('$JS.API.>', (request) => {
    refusals += 1;
    request.respond(bytes(JSON.stringify({ error })));
  });
  return () => refusals;
}

/** A watcher that maintains a view of the store and records its calls. */
export function keepView() {
  const view = new Map<string, string>();
  const calls = { caughtUp: [] as number[], resets: [] as number[] };
  const watcher: KeyValueWatcher = {
    onEntry: ({ key, value }) => {
      if (value === undefined) view.delete(key);
      else view.set(key, Buffer.from(value).toString('utf8'));
    },
    onCaughtUp: (sequence) => calls.caughtUp.push(sequence),
    onReset: (epoch) => {
      view.clear();
      calls.resets.push(epoch);
    },
  };
  return { view, calls, watcher };
}

export async function write(store: KeyValueStore, values: Record<string, string>): Promise<number> {
  let { sequence } = await store.end();
  for (const [key, value] of Object.entries(values)) {
    sequence = await store.put(key, bytes(value), { expectedLastSequence: sequence });
  }
  return sequence;
}

/** Deletes a key as an operator's tool does. Returns the sequence of the deletion. */
export async function deleteKey(bus: Bus, bucket: string, key: string): Promise<number> {
  const reply = createInbox();
  const stored = Promise.withResolvers<unknown>();
  const subscription = bus.subscribe(reply, ({ json }) => stored.resolve(json));
  const headers = { 'KV-Operation': 'DEL' };
  bus.publish(`$KV.${bucket}.${key}`, new Uint8Array(0), { reply, headers });
  const { seq } = (await stored.promise) as { seq: number };
  subscription.unsubscribe();
  return seq;
}

/** Deletes a key and its history, as an operator's tool does for data that must not be kept. */
export async function eraseKey(bus: Bus, bucket: string, key: string): Promise<void> {
  const filter = bytes(JSON.stringify({ filter: `$KV.${bucket}.${key}` }));
  await bus.request(`$JS.API.STREAM.PURGE.KV_${bucket}`, filter, { timeoutMs: 2_000 });
}

/** Opens a store and lets the server keep a copy with one entry, to be restored later. */
export async function openWithCopy(
  bus: Bus,
  { server, bucket }: { readonly server: NatsProcess; readonly bucket: string },
): Promise<KeyValueStore> {
  const store = await bus.openKeyValue({ bucket, replicas: 1 });
  await write(store, { kept: 'x' });
  await server.kill();
  await server.saveData();
  await server.start();
  await waitUntil(() => bus.connected, { what: 'the server' });
  return store;
}
