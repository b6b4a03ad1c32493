import { connectCatalog } from '@sluice/rpc';
import { createLogger } from '@sluice/service';
import { serveDriver } from '../driver/driver-process.ts';
import { keyDigest } from './key-digests.ts';
import type { ResolveOptions, ResolveState } from './resolve-options.ts';

const DEADLINE_MS = 2_000;
/** Digests computed beforehand, so that the client does no hashing during the measurement. */
const PREPARED = 8_192;

serveDriver<ResolveOptions, ResolveState>(async ({ address, keys, inFlight }) => {
  const logger = createLogger({ service: 'bench', level: 'silent' });
  const client = connectCatalog({ addresses: [address], deadlineMs: DEADLINE_MS, logger });
  await client.ready();
  const digests = Array.from({ length: PREPARED }, () =>
    keyDigest(Math.floor(Math.random() * keys)),
  );
  let latencyMs: number[] = [];
  let sent = 0;
  let resolved = 0;
  let unknown = 0;
  let failed = 0;
  const stopping = new AbortController();

  async function resolve(): Promise<void> {
    const apiKeySha256 = digests[sent % PREPARED] ?? Buffer.alloc(32);
    sent += 1;
    const sentAt = performance.now();
    try {
      const { principal } = await client.resolveCredential({ apiKeySha256 });
      latencyMs.push(performance.now() - sentAt);
      if (principal === null) unknown += 1;
      else resolved += 1;
    } catch {
      failed += 1;
    }
  }

  const loops = Array.from({ length: inFlight }, async () => {
    while (!stopping.signal.aborted) await resolve();
  });
  return {
    read: () => {
      const state = { resolved, unknown, failed, latencyMs };
      latencyMs = [];
      return state;
    },
    stop: async () => {
      stopping.abort();
      await Promise.all(loops);
      await client[Symbol.asyncDispose]();
    },
  };
});
