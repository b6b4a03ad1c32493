import { isIPv6 } from 'node:net';
import { count, startAtZero } from '@sluice/telemetry';

/** So many calls without a valid token from one address, within the window, lock that address out. */
const MOST_FAILURES = 20;
const WINDOW_MS = 60_000;
const LOCKOUT_MS = 60_000;
/** The answer to the first failure is held back for the first; each further one doubles it. */
const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 2_000;
/** The addresses that are remembered; beyond it the oldest is forgotten. */
const MOST_ADDRESSES = 10_000;

interface Failures {
  readonly since: number;
  count: number;
  lockedUntil: number;
}

/**
 * Slows down and then stops an address that tries admin tokens. While an address is locked out no token of its calls
 * is looked at, so a guess that would be right is refused, too.
 */
export class AdminLockout {
  readonly #clock: () => number;
  readonly #failures = new Map<string, Failures>();

  constructor(clock: () => number) {
    this.#clock = clock;
    startAtZero('sluice.catalog.admin_lockouts', [{}]);
  }

  /** For how long calls of this peer are still refused without a look at their tokens; 0 when they are not. */
  remainingMs(peer: string): number {
    const until = this.#failures.get(networkOf(peer))?.lockedUntil ?? 0;
    return Math.max(0, until - this.#clock());
  }

  /** Notes a call without a valid token. Returns for how long its answer is to be held back. */
  fail(peer: string): number {
    const network = networkOf(peer);
    const failures = this.#of(network);
    failures.count += 1;
    if (failures.count >= MOST_FAILURES) {
      failures.lockedUntil = this.#clock() + LOCKOUT_MS;
      count('sluice.catalog.admin_lockouts', {});
    }
    return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures.count - 1));
  }

  #of(network: string): Failures {
    const now = this.#clock();
    const known = this.#failures.get(network);
    if (known !== undefined && now - known.since < WINDOW_MS && known.lockedUntil === 0) {
      return known;
    }
    // At the end of the map again, where the newest are.
    this.#failures.delete(network);
    const [oldest] = this.#failures.keys();
    if (this.#failures.size >= MOST_ADDRESSES && oldest !== undefined) {
      this.#failures.delete(oldest);
    }
    const fresh = { since: now, count: 0, lockedUntil: 0 };
    this.#failures.set(network, fresh);
    return fresh;
  }
}

const GROUPS_OF_NETWORK = 4;

/** The address of a peer ("10.0.0.7:50123"); of an IPv6 one its /64, since a host may use any address of that. */
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
