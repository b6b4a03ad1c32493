import { connectBus, type KeyValueEntry, type KeyValueStore } from '@sluice/bus';
import { DEFAULT_CATALOG_BUCKET } from '@sluice/contracts';
import { createLogger } from '@sluice/service';
import { keyDigest, keyId } from './key-digests.ts';

/** The history that the catalog keeps for each entry. */
const HISTORY = 64;
/** Writes under way at a time. The server applies them in order, so each can expect the sequence of the one before. */
const PIPELINED = 512;

export interface TemplateKey {
  readonly id: string;
  readonly sha256: string;
  readonly lastFour: string;
}

/**
 * Writes keys straight into the store of the catalog, as copies of one key that the catalog created. Creating this many
 * keys through the admin port would take minutes, because each change is checked against the whole catalog. No catalog
 * may write at the same time.
 */
export async function fillCatalog(
  natsUrl: string,
  template: TemplateKey,
  count: number,
): Promise<void> {
  const logger = createLogger({ service: 'bench', level: 'silent' });
  await using bus = await connectBus({ servers: [natsUrl], name: 'bench', logger });
  const store = await bus.openKeyValue({
    bucket: DEFAULT_CATALOG_BUCKET,
    replicas: 1,
    history: HISTORY,
  });
  const { key, value } = await findEntry(store, template.id);
  const text = Buffer.from(value).toString('utf8');
  let { sequence } = await store.end();
  for (let first = 0; first < count; first += PIPELINED) {
    const writes: Promise<number>[] = [];
    for (let number = first; number < Math.min(count, first + PIPELINED); number += 1) {
      const digest = keyDigest(number).toString('hex');
      const copy = text
        .replaceAll(template.id, keyId(number))
        .replaceAll(template.sha256, digest)
        .replaceAll(`"${template.lastFour}"`, `"${digest.slice(-4)}"`);
      const name = key.replace(template.id, keyId(number));
      writes.push(store.put(name, Buffer.from(copy), { expectedLastSequence: sequence }));
      sequence += 1;
    }
    await Promise.all(writes);
  }
}

async function findEntry(
  store: KeyValueStore,
  id: string,
): Promise<{ key: string; value: Uint8Array }> {
  let found: KeyValueEntry | undefined;
  await using _watch = await store.watch({
    onEntry: (entry) => {
      if (entry.key.endsWith(id)) found = entry;
    },
    onCaughtUp: () => undefined,
    onReset: () => undefined,
  });
  if (found?.value === undefined) throw new Error('the store does not hold the key that was made');
  return { key: found.key, value: found.value };
}
