import type { Logger } from '@sluice/service';
import type { PromptCache } from './prompt-cache.ts';
import { readCacheMessage } from './read-kv-events.ts';
import { ZmtpSubscriber } from './zmtp-subscriber.ts';

export interface FollowKvEventsOptions {
  /** Such as `tcp://127.0.0.1:5557`. */
  readonly publisher: string;
  readonly cache: Pick<PromptCache, 'apply' | 'eventsLost'>;
  readonly logger: Logger;
}

/** Receives the cache events that vLLM publishes, and applies them to `cache`. */
export function followKvEvents({ publisher, cache, logger }: FollowKvEventsOptions): Disposable {
  const { hostname: host, port } = new URL(publisher);
  return new ZmtpSubscriber({
    host,
    port: Number(port),
    onMessage: (parts) => {
      const message = readCacheMessage(parts);
      if (message !== undefined) cache.apply(message);
    },
    onLost: () => cache.eventsLost(),
    logger,
  });
}
