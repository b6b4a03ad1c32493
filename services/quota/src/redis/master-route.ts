import type { MasterChange, ServerAddress } from './watch-sentinels.ts';

/** How long a failover is remembered. All sentinels know about it within two seconds. */
const CHANGE_KEPT_MS = 3_000;

/**
 * Redirects the client to the new master after a failover. Sentinels publish the new master before they return it to
 * queries. A sentinel that does not know about the failover yet still returns the old master. See docs/decisions/0025.
 */
export class MasterRoute {
  readonly #clock: () => number;
  #change: MasterChange | undefined;
  #changeExpiresAt = 0;
  /** The address that the client got last. */
  #target: string | undefined;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Notes a failover. Returns whether the client must reconnect, because it is not on its way to the new master. */
  note(change: MasterChange): boolean {
    this.#change = change;
    this.#changeExpiresAt = this.#clock() + CHANGE_KEPT_MS;
    return this.#target !== keyOf(change.to);
  }

  /** Maps the `host:port` that a sentinel returned to the address to connect to. Null keeps the address. */
  resolve(named: string): ServerAddress | null {
    const change = this.#clock() < this.#changeExpiresAt ? this.#change : undefined;
    const isReplaced = change !== undefined && keyOf(change.from) === named;
    this.#target = isReplaced ? keyOf(change.to) : named;
    // A copy, because ioredis adds fields to it.
    return isReplaced ? { ...change.to } : null;
  }
}

function keyOf({ host, port }: ServerAddress): string {
  return `${host}:${port}`;
}
