import { isIPv6 } from 'node:net';
import { count, initCounters } from '@sluice/service';

/** An address is locked out after this many calls without a valid token within the window. */
const MAX_FAILURES = 20;
const WINDOW_MS = 60_000;
const LOCKOUT_MS = 60_000;
/** Delay of the answer to the first failure. Each further failure doubles it. */
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 2_000;
/** Limit of remembered addresses. Above it, the oldest is forgotten. */
const MAX_ADDRESSES = 10_000;

interface Failures {
  readonly since: number;
  count: number;
  lockedUntil: number;
}

/**
 * Slows down, then locks out, an address that guesses admin tokens. While an address is locked out, its tokens are not
 * checked, so even a correct guess is refused.
 */
export class AdminLockout {
  readonly #clock: () => number;
  readonly #failures = new Map<string, Failures>();

  constructor(clock: () => number) {
    this.#clock = clock;
    initCounters('sluice.catalog.admin_lockouts', [{}]);
  }

  /**
   * How much longer calls of this peer are refused without a check of their tokens. 0 if the peer is not locked out.
   */
  remainingMs(peer: string): number {
    const until = this.#failures.get(networkOf(peer))?.lockedUntil ?? 0;
    return Math.max(0, until - this.#clock());
  }

  /** Records a call without a valid token. Returns how long to delay its answer. */
  fail(peer: string): number {
    const network = networkOf(peer);
    const failures = this.#of(network);
    failures.count += 1;
    if (failures.count >= MAX_FAILURES) {
      failures.lockedUntil = this.#clock() + LOCKOUT_MS;
      count('sluice.catalog.admin_lockouts', {});
    }
    return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures.count - 1));
  }

  #of(network: string): Failures {
    const now = this.#clock();
    const known = this.#failures.get(network);
    if (known !== undefined && now - known.since < WINDOW_MS && known.lockedUntil === 0) {
      return known;
    }
    // Inserted again at the end of the map, where the newest entries are.
    this.#failures.delete(network);
    const [oldest] = this.#failures.keys();
    if (this.#failures.size >= MAX_ADDRESSES && oldest !== undefined) {
      this.#failures.delete(oldest);
    }
    const fresh = { since: now, count: 0, lockedUntil: 0 };
    this.#failures.set(network, fresh);
    return fresh;
  }
}

const GROUPS_OF_NETWORK = 4;

/**
 * The address of a peer such as "10.0.0.7:50123", without its port. An IPv6 address is reduced to its /64 network,
 * because a host may use any address in that network.
 */
export function networkOf(peer: string): string {
  const address = peer.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  if (!isIPv6(address) || address.includes('.')) return address;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':').filter(Boolean);
  if (tail !== undefined) {
    const missing = 8 - groups.length - tail.split(':').filter(Boolean).length;
    for (let index = 0; index < missing; index += 1) groups.push('0');
    groups.push(...tail.split(':').filter(Boolean));
  }
  return `${groups.slice(0, GROUPS_OF_NETWORK).join(':')}::/64`;
}
