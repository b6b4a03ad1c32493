import type { Limits } from '@sluice/contracts';
import type { Exchange } from './exchange.ts';

/** Decided at some moment between these. */
interface Decision {
  readonly sentAt: number;
  readonly heardAt: number;
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
/** Redis may answer before it has written, while the disk is busy with what it wrote before. */
const UNWRITTEN_MS = 2_000;
/** What got no answer may be charged so much later: by a limiter that was frozen meanwhile. */
const LATEST_CHARGE_MS = 10_000;
/** A request, and what the clocks of two processes may differ by. */
const BUCKET_ROUNDING = 2;
/** Refusals before admission is asked for: certainly not charged. */
const NEVER_ADMITTED = new Set(['authentication_unavailable', 'service_unavailable']);

/** What one organization must have been charged, from its own replies alone. */
export class LimitModel {
  readonly #limits: Limits;
  readonly #admitted: Admission[] = [];
  readonly #refused: Decision[] = [];
  readonly #uncertain: Admission[] = [];

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** A request of this many tokens, and what came of it. */
  add({ status, headers, errorCode, startedAt, endedAt }: Exchange, tokens: number): void {
    const told = headers['x-ratelimit-remaining-requests-day'] !== undefined;
    const decision = { sentAt: startedAt, heardAt: endedAt };
    if (status === 429) this.#refused.push(decision);
    else if (told) this.#admitted.push({ ...decision, requests: 1, tokens });
    else if (status === undefined || !NEVER_ADMITTED.has(errorCode ?? '')) {
      // No answer, or one that does not know: charged once or not at all.
      const heardAt = endedAt + LATEST_CHARGE_MS;
      this.#uncertain.push({ sentAt: startedAt, heardAt, requests: 1, tokens });
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

  /** Over any interval, no more than the bucket holds and what flows in; and nobody refused before it was empty. */
  judgeMinute(storeKilledAt: readonly number[]): LimitFinding {
    const limit = this.#limits.requests_per_minute;
    if (limit === null) return { ok: undefined, text: 'no limit a minute' };
    const drawn = this.#mostDrawn(limit / MINUTE_MS);
    const early = this.#refusedEarly(limit);
    const kept = early === 0 && drawn <= limit + this.#forgettable(storeKilledAt).length;
    return {
      // A bucket that was never empty does not show that it has a bottom.
      ok: kept && this.#refused.length === 0 ? undefined : kept,
      text: `${this.#admitted.length} admitted, ${this.#refused.length} refused; the bucket of ${limit} was drawn on by ${drawn.toFixed(1)} at most${early === 0 ? '' : `, and ${early} were refused before it was empty`}`,
    };
  }

  #mostDrawn(perMs: number): number {
    const { sentAts, heardAts } = timesOf(this.#admitted);
    let sent = 0;
    let worst = 0;
    let bestStart = Number.NEGATIVE_INFINITY;
    for (const [heard, heardAt] of heardAts.entries()) {
      for (let at = sentAts[sent] ?? NEVER; at <= heardAt; at = sentAts[sent] ?? NEVER) {
        bestStart = Math.max(bestStart, at * perMs - sent);
        sent += 1;
      }
      // Of those that were heard by now, the ones that were sent since then were decided since then.
      worst = Math.max(worst, heard + 1 + bestStart - heardAt * perMs);
    }
    return worst;
  }

  /** Refusals at which the bucket cannot have been empty, even if all that may have been charged was. */
  #refusedEarly(limit: number): number {
    const perMs = limit / MINUTE_MS;
    const { sentAts, heardAts } = timesOf([...this.#admitted, ...this.#uncertain]);
    let heard = 0;
    let sent = 0;
    let bestStart = Number.NEGATIVE_INFINITY;
    const refused = this.#refused.toSorted((one, other) => one.heardAt - other.heardAt);
    return refused.filter(({ sentAt, heardAt }) => {
      while ((sentAts[sent] ?? NEVER) <= heardAt) sent += 1;
      for (let at = heardAts[heard] ?? NEVER; at <= heardAt; at = heardAts[heard] ?? NEVER) {
        bestStart = Math.max(bestStart, at * perMs - heard);
        heard += 1;
      }
      // Charged as late as they can have been, so that as little as possible has flowed in since.
      const drawn = Math.max(sent - heard, sent + bestStart - sentAt * perMs);
      return drawn < limit - BUCKET_ROUNDING;
    }).length;
  }
}

/** Each in order by itself: what was sent first may be heard last. */
function timesOf(decisions: readonly Decision[]): { sentAts: number[]; heardAts: number[] } {
  const inOrder = (one: number, other: number) => one - other;
  return {
    sentAts: decisions.map(({ sentAt }) => sentAt).toSorted(inOrder),
    heardAts: decisions.map(({ heardAt }) => heardAt).toSorted(inOrder),
  };
}

function sumOf(admissions: readonly Admission[], unit: 'requests' | 'tokens'): number {
  return admissions.reduce((sum, admission) => sum + admission[unit], 0);
}
