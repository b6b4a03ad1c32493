import type { Limits } from '@sluice/contracts';
import type { Exchange } from './exchange.ts';

/** A decision that was made between these two times. */
interface Decision {
  readonly sentAt: number;
  readonly answeredAt: number;
}

interface Admission extends Decision {
  readonly requests: number;
  readonly tokens: number;
}

export interface LimitFinding {
  /** Undefined when there was nothing to judge. */
  readonly ok: boolean | undefined;
  readonly text: string;
}

const MINUTE_MS = 60_000;
const NEVER = Number.POSITIVE_INFINITY;
/** Redis may answer before its write reaches the disk, when the disk is still busy with the write before. */
const UNWRITTEN_MS = 2_000;
/** A request without an answer may be charged this much later, by a quota service that was frozen in the meantime. */
const LATEST_CHARGE_MS = 10_000;
/** Tolerance for one request and for the difference between the clocks of two processes. */
const BUCKET_ROUNDING = 2;
/** Refusals that come before the limits are checked, and are therefore never charged. */
const NEVER_ADMITTED = new Set(['authentication_unavailable', 'service_unavailable']);

/** The charges that one organization must have, derived from its own replies. */
export class LimitModel {
  readonly #limits: Limits;
  readonly #admitted: Admission[] = [];
  readonly #refused: Decision[] = [];
  readonly #uncertain: Admission[] = [];

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Records a request with this many tokens and its result. */
  add({ status, headers, errorCode, startedAt, endedAt }: Exchange, tokens: number): void {
    const hasCounts = headers['x-ratelimit-remaining-requests-day'] !== undefined;
    const decision = { sentAt: startedAt, answeredAt: endedAt };
    if (status === 429) this.#refused.push(decision);
    else if (hasCounts) this.#admitted.push({ ...decision, requests: 1, tokens });
    else if (status === undefined || !NEVER_ADMITTED.has(errorCode ?? '')) {
      // There is no answer, or the answer does not show whether the request was charged. It was charged once or not at
      // all.
      const answeredAt = endedAt + LATEST_CHARGE_MS;
      this.#uncertain.push({ sentAt: startedAt, answeredAt, requests: 1, tokens });
    }
  }

  /**
   * Compares the counts of the day in the last reply with the sum of admitted requests. A store that was killed may
   * have lost its last writes.
   */
  judgeDay(last: Exchange, storeKilledAt: readonly number[]): LimitFinding[] {
    const forgotten = this.#forgettable(storeKilledAt);
    return [
      this.#judgeCount(last, 'requests', {
        admitted: sumOf(this.#admitted, 'requests'),
        forgotten: sumOf(forgotten, 'requests'),
        unsure: sumOf(this.#uncertain, 'requests'),
      }),
      this.#judgeCount(last, 'tokens', {
        admitted: sumOf(this.#admitted, 'tokens'),
        forgotten: sumOf(forgotten, 'tokens'),
        unsure: sumOf(this.#uncertain, 'tokens'),
      }),
    ];
  }

  #forgettable(storeKilledAt: readonly number[]): Admission[] {
    return this.#admitted.filter(({ sentAt, answeredAt }) =>
      storeKilledAt.some((killedAt) => sentAt <= killedAt && answeredAt >= killedAt - UNWRITTEN_MS),
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

  /**
   * Checks two rules: no interval admits more than the bucket and its refill allow, and no request is refused before
   * the bucket is empty.
   */
  judgeMinute(storeKilledAt: readonly number[]): LimitFinding {
    const limit = this.#limits.requests_per_minute;
    if (limit === null) return { ok: undefined, text: 'no limit a minute' };
    const drawn = this.#mostDrawn(limit / MINUTE_MS);
    const early = this.#refusedEarly(limit);
    const kept = early === 0 && drawn <= limit + this.#forgettable(storeKilledAt).length;
    return {
      // A bucket that was never empty does not show that the limit works.
      ok: kept && this.#refused.length === 0 ? undefined : kept,
      text: `${this.#admitted.length} admitted, ${this.#refused.length} refused; the bucket of ${limit} was drawn on by ${drawn.toFixed(1)} at most${early === 0 ? '' : `, and ${early} were refused before it was empty`}`,
    };
  }

  /**
   * The most that any interval drew from the bucket: its admitted requests minus its refill of `perMs`. A request is
   * counted only if it was surely decided within the interval, because it was sent and answered in it.
   */
  #mostDrawn(perMs: number): number {
    const { sentAts, answeredAts } = timesOf(this.#admitted);
    let sent = 0;
    let worst = 0;
    let bestStart = Number.NEGATIVE_INFINITY;
    for (const [answered, answeredAt] of answeredAts.entries()) {
      for (let at = sentAts[sent] ?? NEVER; at <= answeredAt; at = sentAts[sent] ?? NEVER) {
        bestStart = Math.max(bestStart, at * perMs - sent);
        sent += 1;
      }
      // An interval starts when one of the requests was sent, and ends here.
      worst = Math.max(worst, answered + 1 + bestStart - answeredAt * perMs);
    }
    return worst;
  }

  /** Counts refusals at which the bucket cannot have been empty, even if every uncertain request was charged. */
  #refusedEarly(limit: number): number {
    const perMs = limit / MINUTE_MS;
    const { sentAts, answeredAts } = timesOf([...this.#admitted, ...this.#uncertain]);
    let answered = 0;
    let sent = 0;
    let bestStart = Number.NEGATIVE_INFINITY;
    const refused = this.#refused.toSorted((one, other) => one.answeredAt - other.answeredAt);
    return refused.filter(({ sentAt, answeredAt }) => {
      while ((sentAts[sent] ?? NEVER) <= answeredAt) sent += 1;
      for (
        let at = answeredAts[answered] ?? NEVER;
        at <= answeredAt;
        at = answeredAts[answered] ?? NEVER
      ) {
        bestStart = Math.max(bestStart, at * perMs - answered);
        answered += 1;
      }
      // Assumes the latest possible charges, so that the refill since then is as small as possible.
      const drawn = Math.max(sent - answered, sent + bestStart - sentAt * perMs);
      return drawn < limit - BUCKET_ROUNDING;
    }).length;
  }
}

/** Sorts both lists separately, because replies can arrive in a different order than the requests were sent. */
function timesOf(decisions: readonly Decision[]): { sentAts: number[]; answeredAts: number[] } {
  const inOrder = (one: number, other: number) => one - other;
  return {
    sentAts: decisions.map(({ sentAt }) => sentAt).toSorted(inOrder),
    answeredAts: decisions.map(({ answeredAt }) => answeredAt).toSorted(inOrder),
  };
}

function sumOf(admissions: readonly Admission[], unit: 'requests' | 'tokens'): number {
  return admissions.reduce((sum, admission) => sum + admission[unit], 0);
}
