import { LIMIT_NAMES, type LimitName, type Limits, type Revision } from '@sluice/contracts';
import type { Cost, Verdict } from '../../src/limiter/limit-store.ts';

/**
 * A model of the limiter with BigInt, written from its definition and not from the script: a deficit in units of
 * 1/60000 for a minute limit, a count for a day limit. It is slow, but simple and exact.
 */

const MINUTE = 60_000n;
const DAY = 86_400_000n;

interface ModelState {
  last: bigint;
  revision: Revision;
  limits: Limits;
  deficit: { requests: bigint; tokens: bigint };
  day: bigint;
  count: { requests: bigint; tokens: bigint };
}

export interface ModelAnswer {
  readonly verdicts: Verdict[];
  /** Whether the state must have been written. */
  readonly written: boolean;
}

type Unit = 'requests' | 'tokens';

const UNIT: Readonly<Record<LimitName, Unit>> = {
  requests_per_minute: 'requests',
  requests_per_day: 'requests',
  tokens_per_minute: 'tokens',
  tokens_per_day: 'tokens',
};

export class LimiterModel {
  #state: ModelState | undefined;

  decide(
    clock: number,
    given: { limits: Limits; revision: Revision },
    costs: readonly Cost[],
  ): ModelAnswer {
    const at = BigInt(clock);
    const before = this.#state;
    let written = before === undefined && isAfter(given.revision, { epoch: 0, sequence: 0 });
    const state: ModelState =
      before === undefined
        ? {
            last: at,
            ...given,
            deficit: { requests: 0n, tokens: 0n },
            day: at / DAY,
            count: { requests: 0n, tokens: 0n },
          }
        : structuredClone(before);

    if (state.last - at > 5_000n) {
      state.last = at;
      // If the counted day was tomorrow, it stays tomorrow, so that its limit is not spent twice.
      if (state.day !== at / DAY + 1n) state.day = at / DAY;
      written = true;
    }
    const now = at > state.last ? at : state.last;
    const elapsed = now - state.last;
    state.last = now;
    if (state.day < now / DAY) {
      state.day = now / DAY;
      state.count = { requests: 0n, tokens: 0n };
    }
    if (isAfter(given.revision, state.revision)) {
      state.revision = given.revision;
      state.limits = given.limits;
      written = true;
    }
    for (const unit of ['requests', 'tokens'] as const) {
      const limit = state.limits[`${unit}_per_minute`];
      if (limit === null) state.deficit[unit] = 0n;
      else {
        const clamped = smaller(state.deficit[unit], BigInt(limit) * MINUTE);
        state.deficit[unit] = larger(0n, clamped - BigInt(limit) * elapsed);
      }
    }

    const verdicts = costs.map((cost) => {
      const { verdict, charged } = decideOne(state, { at, now }, cost);
      written ||= charged;
      return verdict;
    });
    if (written) this.#state = state;
    return { verdicts, written };
  }
}

function decideOne(
  state: ModelState,
  { at, now }: { at: bigint; now: bigint },
  cost: Cost,
): { verdict: Verdict; charged: boolean } {
  let refusal: { by: LimitName; wait: bigint; exceeds: boolean } | undefined;
  for (const name of LIMIT_NAMES) {
    const limit = state.limits[name];
    const asked = BigInt(cost[UNIT[name]]);
    if (limit === null || asked === 0n) continue;
    const wait = waitFor(state, name, { asked, limit: BigInt(limit), at, now });
    const exceeds = asked > BigInt(limit);
    if (wait === 0n) continue;
    const longer = refusal === undefined || wait > refusal.wait;
    // Among equal waits, a limit that the cost exceeds goes first.
    if (longer || (wait === refusal?.wait && exceeds && !refusal.exceeds)) {
      refusal = { by: name, wait, exceeds };
    }
  }
  const charged = refusal === undefined && (cost.requests > 0 || cost.tokens > 0);
  if (charged) {
    for (const unit of ['requests', 'tokens'] as const) {
      const amount = BigInt(cost[unit]);
      if (state.limits[`${unit}_per_minute`] !== null) state.deficit[unit] += amount * MINUTE;
      state.count[unit] += amount;
    }
  }
  const windows = windowsOf(state, (state.day + 1n) * DAY - now);
  const decidedAtMs = Number(now);
  const verdict: Verdict =
    refusal === undefined
      ? { outcome: 'admitted', windows, decidedAtMs }
      : {
          outcome: 'refused',
          windows,
          decidedAtMs,
          refusedBy: refusal.by,
          waitMs: Number(refusal.wait),
          exceedsCapacity: refusal.exceeds,
        };
  return { verdict, charged };
}

/** How long the cost has to wait for this limit. 0 if it fits. */
function waitFor(
  state: ModelState,
  name: LimitName,
  { asked, limit, at, now }: Record<'asked' | 'limit' | 'at' | 'now', bigint>,
): bigint {
  if (asked > limit) return MINUTE + (now - at);
  const unit = UNIT[name];
  if (name.endsWith('_day')) {
    return state.count[unit] + asked <= limit ? 0n : (state.day + 1n) * DAY - at;
  }
  const missing = state.deficit[unit] + asked * MINUTE - limit * MINUTE;
  return missing <= 0n ? 0n : ceilingOf(missing, limit) + (now - at);
}

function windowsOf(state: ModelState, restOfDay: bigint): Verdict['windows'] {
  const minute = (unit: Unit) => {
    const limit = state.limits[`${unit}_per_minute`];
    if (limit === null) return null;
    const deficit = state.deficit[unit];
    return {
      limit,
      remaining: limit - Number(ceilingOf(deficit, MINUTE)),
      resetMs: limit === 0 ? 0 : Number(ceilingOf(deficit, BigInt(limit))),
    };
  };
  const day = (unit: Unit) => {
    const limit = state.limits[`${unit}_per_day`];
    if (limit === null) return null;
    return {
      limit,
      remaining: Number(larger(0n, BigInt(limit) - state.count[unit])),
      resetMs: Number(restOfDay),
    };
  };
  return {
    requests_per_minute: minute('requests'),
    requests_per_day: day('requests'),
    tokens_per_minute: minute('tokens'),
    tokens_per_day: day('tokens'),
  };
}

function ceilingOf(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

function smaller(left: bigint, right: bigint): bigint {
  return left < right ? left : right;
}

function larger(left: bigint, right: bigint): bigint {
  return left > right ? left : right;
}

function isAfter(revision: Revision, than: Revision): boolean {
  return (
    revision.epoch > than.epoch ||
    (revision.epoch === than.epoch && revision.sequence > than.sequence)
  );
}
