import { decodeBlockHashes, encodeBlockHashes } from '@sluice/contracts';
import { useLeakCheck, useNats, waitUntil } from '@sluice/devkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startBench, type Bench } from './bench-worker.ts';
import { KvPublisher } from './kv-publisher.ts';

useLeakCheck();
const nats = useNats();

let publisher: KvPublisher;
let bench: Bench;

beforeEach(async () => {
  publisher = new KvPublisher();
  const port = await publisher.listen();
  bench = await startBench({
    natsUrl: nats.url,
    prefix: nats.namespace,
    settings: { RUNTIME_KV_EVENTS: `tcp://127.0.0.1:${port}` },
  });
  await publisher.subscribed();
});

afterEach(async () => {
  await bench[Symbol.asyncDispose]();
  await publisher[Symbol.asyncDispose]();
});

const BLOCK_TOKENS = 16;
const numbers = (count: number, first: number) =>
  Array.from({ length: count }, (_, index) => BigInt(first + index));

function stored(count: number, first: number) {
  return ['BlockStored', numbers(count, first), null, [], BLOCK_TOKENS, null, 'GPU'];
}

function removed(count: number, first: number) {
  return { type: 'BlockRemoved', block_hashes: numbers(count, first), medium: 'GPU', group_idx: 0 };
}

/** Serves a prompt whose blocks have these hashes. The simulator does not count its tokens. */
async function serve(...hashes: number[]): Promise<void> {
  const attempt = bench.gateway.send(bench.worker.id, {
    sim: { tokens: 1, usage: false },
    header: { prefix_blocks: encodeBlockHashes(hashes), estimated_input_tokens: 160 },
  });
  expect((await attempt.untilOver()).kinds().at(-1)).toBe('finished');
}

/** The blocks that heartbeats reported as cold. */
function cold(): number[] {
  return bench.gateway.heartbeats.flatMap(({ cold_blocks: encoded }) =>
    encoded === undefined ? [] : [...decodeBlockHashes(encoded)],
  );
}

async function heldTokens(expected: number): Promise<void> {
  await waitUntil(
    () => {
      const { cache } = bench.worker.readiness().details as { cache?: { heldTokens: number } };
      return cache?.heldTokens === expected;
    },
    { what: `${expected} tokens in the cache`, timeoutMs: 10_000 },
  );
}

it('blocks that vLLM has evicted are reported as cold, the least recently used first', async () => {
  await serve(1, 2);
  publisher.publish(stored(11, 100));
  await serve(3);
  publisher.publish(stored(10, 200));
  await heldTokens(336);
  // The first prompt loses its end, which is less than a block, and its second block.
  publisher.publish(removed(7, 104));
  await waitUntil(() => cold().length > 0, { what: 'a cold block' });
  expect(cold()).toEqual([2]);
  publisher.publish(removed(4, 100));
  await waitUntil(() => cold().length > 1, { what: 'another cold block' });
  expect(cold()).toEqual([2, 1]);
});

it('after a lost message, no earlier block is reported as cold', async () => {
  await serve(1);
  publisher.publish(stored(10, 100));
  await heldTokens(160);
  publisher.loseOne();
  publisher.publish(removed(10, 100), stored(1, 200));
  await heldTokens(BLOCK_TOKENS);
  await serve(2);
  await serve(2);
  expect(cold()).toEqual([]);
});

it('after a broken connection, the worker subscribes again', async () => {
  publisher.publish(stored(10, 100));
  await heldTokens(160);
  publisher.disconnect();
  await heldTokens(0);
  await publisher.subscribed();
  publisher.publish(stored(20, 300));
  await heldTokens(320);
  expect(bench.worker.readiness().ready).toBe(true);
});

it('a cache that was emptied has a new epoch, and its blocks are no longer announced', async () => {
  await serve(1);
  await waitUntil(() => bench.gateway.newest(bench.worker.id)?.prefix_blocks !== undefined, {
    what: 'the served block',
  });
  publisher.publish(['AllBlocksCleared']);
  await waitUntil(() => bench.gateway.newest(bench.worker.id)?.cache_epoch === 1, {
    what: 'the new epoch',
  });
  expect(bench.gateway.newest(bench.worker.id)).not.toHaveProperty('prefix_blocks');
});
