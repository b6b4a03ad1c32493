import type { LedgerMessage } from '@sluice/bus';
import { expect, test } from 'vitest';
import { collectBatches } from './ledger-batch.ts';

function message(sequence: number, records: readonly string[], missed = 0): LedgerMessage {
  return { position: { streamCreated: 'then', sequence, storedAtMs: 0 }, records, missed };
}

async function* of(...messages: LedgerMessage[]): AsyncGenerator<LedgerMessage, void, void> {
  yield* messages;
}

test('messages are collected up to a number of records, and counted as one', async () => {
  const messages = of(
    message(1, ['a', 'b']),
    message(2, ['c'], 4),
    message(7, ['d', 'e']),
    message(8, ['f']),
  );
  const batches: [readonly string[], number, number][] = [];
  for await (const batch of collectBatches(messages, { collectMs: 60_000, limit: 3 })) {
    batches.push([batch.records, batch.position.sequence, batch.missed]);
  }
  expect(batches).toEqual([
    [['a', 'b', 'c'], 2, 4],
    [['d', 'e', 'f'], 8, 0],
  ]);
});

test('a batch ends after its time, and the message that comes later is in the next one', async () => {
  const { promise: later, resolve } = Promise.withResolvers<void>();
  async function* slowly(): AsyncGenerator<LedgerMessage, void, void> {
    yield message(1, ['a']);
    await later;
    yield message(2, ['b']);
  }
  const batches = collectBatches(slowly(), { collectMs: 1, limit: 100 });
  const first = await batches.next();
  expect(first.value?.records).toEqual(['a']);
  resolve();
  const second = await batches.next();
  expect(second.value?.records).toEqual(['b']);
  expect(await batches.next()).toMatchObject({ done: true });
});

test('a failure of the stream ends the collection, and the batch is not written', async () => {
  async function* broken(): AsyncGenerator<LedgerMessage, void, void> {
    yield message(1, ['a']);
    throw new Error('the connection was lost');
  }
  const batches = collectBatches(broken(), { collectMs: 60_000, limit: 100 });
  await expect(batches.next()).rejects.toThrow('the connection was lost');
});
