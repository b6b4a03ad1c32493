import type { AdmissionDecision, AdmissionRequest } from '@sluice/contracts';
import type { PauseWitness } from '@sluice/machine';
import type { QuotaClient } from '@sluice/rpc';
import type { Cluster, Redis } from 'ioredis';
import { UNLIMITED } from './calls.ts';
import { excuseOutages } from './excuse-outages.ts';
import { PACKED_AT } from './packed-state.ts';

/** Powers of three up to the largest cost that is allowed. */
const REQUESTS_AN_ORGANIZATION = 20;
/** About 750 requests a second. */
const HEAVY_LOAD = { everyMs: 4, atOnce: 3 };

export interface ChargeAuditOptions {
  readonly name: string;
  /** Of the organizations that it makes up, only those that are wanted ask for anything. */
  readonly isWanted?: (organization: string) => boolean;
  readonly load?: { readonly everyMs: number; readonly atOnce: number };
}

interface AuditedRequest {
  readonly organization: string;
  /** It costs three to this power, so that the sum tells how often each request was charged. */
  readonly digit: number;
  readonly startedAt: number;
  answeredAfterMs: number;
  outcome: AdmissionDecision['outcome'] | 'unanswered';
}

export interface AuditReport {
  readonly requests: number;
  readonly admitted: number;
  /** Without a decision, and without the machine's own pauses for an excuse. */
  readonly unavailable: number;
  /** Without the time in which the machine itself stood still. */
  readonly slowestMs: number;
  /** Charged more than once. Never allowed. */
  readonly chargedTwice: number;
  /** Told that they are admitted, and not charged: a store that lost what it had acknowledged. */
  readonly admittedUncharged: number;
}

/** A steady load in which every single charge can be told apart afterwards. */
export class ChargeAudit {
  readonly #client: Pick<QuotaClient, 'admit'>;
  readonly #witness: PauseWitness;
  readonly #name: string;
  readonly #isWanted: (organization: string) => boolean;
  readonly #load: NonNullable<ChargeAuditOptions['load']>;
  #organization = '';
  #organizations = 0;
  readonly #requests: AuditedRequest[] = [];
  readonly #answers: Promise<void>[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(
    client: Pick<QuotaClient, 'admit'>,
    witness: PauseWitness,
    { name, isWanted = () => true, load = HEAVY_LOAD }: ChargeAuditOptions,
  ) {
    this.#client = client;
    this.#witness = witness;
    this.#name = name;
    this.#isWanted = isWanted;
    this.#load = load;
  }

  start(): void {
    const { everyMs, atOnce } = this.#load;
    this.#timer = setInterval(() => {
      for (let count = 0; count < atOnce; count += 1) this.#send();
    }, everyMs);
  }

  /** When the first request was admitted that was sent after a moment. */
  admittedSince(moment: number): number | undefined {
    for (const { startedAt, answeredAfterMs, outcome } of this.#requests) {
      if (outcome === 'admitted' && startedAt >= moment) return startedAt + answeredAfterMs;
    }
    return undefined;
  }

  countOf(outcome: AuditedRequest['outcome']): number {
    return this.#requests.filter((request) => request.outcome === outcome).length;
  }

  /** How long after a moment each request was sent that got no decision, whatever the machine did. */
  undecidedAfter(moment: number): number[] {
    return this.#requests
      .filter(({ startedAt, outcome }) => outcome === 'unavailable' && startedAt >= moment)
      .map(({ startedAt }) => startedAt - moment);
  }

  /** How many of those that were sent after a moment got no decision, though the machine ran. */
  unavailableSince(moment: number): number {
    const unavailable = this.#requests.filter(({ outcome }) => outcome === 'unavailable');
    const unexcused = excuseOutages(unavailable, this.#witness.look());
    return unexcused.filter(({ startedAt }) => startedAt >= moment).length;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#answers);
  }

  /** Compares what was answered with what the store holds. */
  async report(redis: Redis | Cluster, keyPrefix: string): Promise<AuditReport> {
    const charges = new Map<string, number[]>();
    let chargedTwice = 0;
    let admittedUncharged = 0;
    for (const { organization, digit, outcome } of this.#requests) {
      if (!charges.has(organization)) {
        const state = await redis.getBuffer(`${keyPrefix}{${organization}}`);
        const tokens = state?.readDoubleLE(PACKED_AT.tokensOfDay) ?? 0;
        const requests = state?.readDoubleLE(PACKED_AT.requestsOfDay) ?? 0;
        const digits = Array.from(tokens.toString(3), Number);
        charges.set(organization, digits);
        // Three charges of one request look like one of the next: each cost a request, too.
        if (digits.reduce((sum, times) => sum + times) !== requests) chargedTwice += 1;
      }
      const times = charges.get(organization)?.at(-1 - digit) ?? 0;
      if (times > 1) chargedTwice += 1;
      if (times === 0 && outcome === 'admitted') admittedUncharged += 1;
    }
    const pauses = this.#witness.look();
    const running = this.#requests.map(
      ({ startedAt, answeredAfterMs }) =>
        answeredAfterMs - pauses.pausedMs(startedAt, startedAt + answeredAfterMs),
    );
    return {
      requests: this.#requests.length,
      admitted: this.countOf('admitted'),
      unavailable: this.unavailableSince(0),
      slowestMs: Math.max(...running),
      chargedTwice,
      admittedUncharged,
    };
  }

  #send(): void {
    const digit = this.#requests.length % REQUESTS_AN_ORGANIZATION;
    if (digit === 0) this.#organization = this.#nextOrganization();
    const organization = this.#organization;
    const request: AuditedRequest = {
      organization,
      digit,
      startedAt: performance.now(),
      answeredAfterMs: 0,
      outcome: 'unanswered',
    };
    this.#requests.push(request);
    const admission: AdmissionRequest = {
      organization,
      limits: UNLIMITED,
      revision: { epoch: 1, sequence: 1 },
      requests: 1,
      tokens: 3 ** digit,
    };
    const answered = async () => {
      const { outcome } = await this.#client.admit(admission);
      request.outcome = outcome;
      request.answeredAfterMs = performance.now() - request.startedAt;
    };
    this.#answers.push(answered());
  }

  #nextOrganization(): string {
    for (;;) {
      const organization = `${this.#name}-${this.#organizations}`;
      this.#organizations += 1;
      if (this.#isWanted(organization)) return organization;
    }
  }
}
