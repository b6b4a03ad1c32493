import type { Limits } from '@sluice/contracts';
import type { Exchange } from './exchange.ts';

interface Admission {
  readonly sentAt: number;
  readonly heardAt: number;
  readonly requests: number;
  readonly tokens: number;
}

export interface LimitFinding {
  readonly ok: boolean;
  readonly text: string;
}

const MINUTE_MS = 60_000;
/** Redis may answer before it has written, while the disk is busy with what it wrote before. */
const UNWRITTEN_MS = 2_000;
/** Refusals before admission is asked for: certainly not charged. */
const NEVER_ADMITTED = new Set(['authentication_unavailable', 'service_unavailable']);

/** What one organization must have been charged, from its own replies alone. */
export class LimitModel {
  readonly #limits: Limits;
  readonly #admitted: Admission[] = [];
  #refused = 0;
  #uncertain = 0;
  #uncertainTokens = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  get refused(): number {
    return this.#refused;
  }

  get admitted(): number {
    return this.#admitted.length;
  }

  /** A request of this many tokens, and what came of it. */
  add({ status, headers, errorCode, startedAt, endedAt }: Exchange, tokens: number): void {
    const told = headers['x-ratelimit-remaining-requests-day'] !== undefined;
    if (status === 429) this.#refused += 1;
    else if (told) {
      this.#admitted.push({ sentAt: startedAt, heardAt: endedAt, requests: 1, tokens });
    } else if (status === undefined || !NEVER_ADMITTED.has(errorCode ?? '')) {
      // No answer, or one that does not know: charged once or not at all.
      this.#uncertain += 1;
      this.#uncertainTokens += tokens;
    }
  }

  /**
   * The day's counts, read from the last reply, against the sum of what was admitted. A store that was
   * killed may have forgotten its last moment.
   */
  judgeDay(last: Exchange, storeKilledAt: readonly number[]): LimitFinding[] {
    const forgotten = this.#forgettable(storeKilledAt);
    return [
      this.#judgeCount(last, 'requests', {
        admitted: sumOf(this.#admitted, 'requests'),
        forgotten: sumOf(forgotten, 'requests'),
        unsure: this.#uncertain,
      }),
      this.#judgeCount(last, 'tokens', {
        admitted: sumOf(this.#admitted, 'tokens'),
        forgotten: sumOf(forgotten, 'tokens'),
        unsure: this.#uncertainTokens,
      }),
    ];
  }

  #forgettable(storeKilledAt: readonly number[]): Admission[] {
    return this.#admitted.filter(({ sentAt, heardAt }) =>
      storeKilledAt.some((killedAt) => sentAt <= killedAt && heardAt >= killedAt - UNWRITTEN_MS),
    );
  }

  #judgeCount(
    { headers }: Exchange,
    unit: 'requests' | 'tokens',
    { admitted, forgotten, unsure }: { admitted: number; forgotten: number; unsure: number },
  ): LimitFinding {
    const limit = Number(headers[`x-ratelimit-limit-${unit}-day`]);
    const used = limit - Number(headers[`x-ratelimit-remaining-${unit}-day`]);
    return {
      ok: used >= admitted - forgotten && used <= admitted + unsure,
      text: [
        `${used} ${unit} charged today; admitted were ${admitted}`,
        unsure === 0 ? '' : ` and perhaps ${unsure} more`,
        forgotten === 0 ? '' : `, ${forgotten} of them just before Redis was killed`,
      ].join(''),
    };
  }

  /** Over any interval, no more than the bucket holds and what flows in. */
  judgeMinute(storeKilledAt: readonly number[]): LimitFinding {
    const limit = this.#limits.requests_per_minute;
    if (limit === null) return { ok: true, text: 'no limit a minute' };
    const perMs = limit / MINUTE_MS;
    const ordered = this.#admitted.toSorted((one, other) => one.heardAt - other.heardAt);
    let worst = 0;
    let bestStart = Number.NEGATIVE_INFINITY;
    for (const [index, { sentAt, heardAt }] of ordered.entries()) {
      // Decided between sending and hearing: the interval is at most this long.
      bestStart = Math.max(bestStart, sentAt * perMs - index);
      worst = Math.max(worst, index + 1 - heardAt * perMs + bestStart);
    }
    return {
      ok: worst <= limit + this.#forgettable(storeKilledAt).length,
      text: `${ordered.length} admitted, ${this.#refused} refused; the bucket of ${limit} was drawn on by ${worst.toFixed(1)} at most`,
    };
  }
}

function sumOf(admissions: readonly Admission[], unit: 'requests' | 'tokens'): number {
  return admissions.reduce((sum, admission) => sum + admission[unit], 0);
}
