import type { MasterChange, ServerAddress } from './watch-sentinels.ts';

/** A sentinel that was not part of a failover hears of it within two seconds. */
const NEWS_KEPT_MS = 3_000;

/**
 * Leads to the master that is told of last. Sentinels tell of a new one before they name it when they are asked, and
 * those that have not heard of it yet name the one before.
 */
export class MasterRoute {
  readonly #now: () => number;
  #news: MasterChange | undefined;
  #newsEndAt = 0;
  /** Where the client was led last. */
  #target: string | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether the client was led elsewhere. */
  note(change: MasterChange): boolean {
    this.#news = change;
    this.#newsEndAt = this.#now() + NEWS_KEPT_MS;
    return this.#target !== keyOf(change.to);
  }

  /** Given the address that a sentinel names, `host:port`, the one to connect to where that is another. */
  lead(named: string): ServerAddress | null {
    const news = this.#now() < this.#newsEndAt ? this.#news : undefined;
    const isReplaced = news !== undefined && keyOf(news.from) === named;
    this.#target = isReplaced ? keyOf(news.to) : named;
    // A copy: the client adds to it.
    return isReplaced ? { ...news.to } : null;
  }
}

function keyOf({ host, port }: ServerAddress): string {
  return `${host}:${port}`;
}
