import type { AdmissionDecision, AdmissionRequest } from '@sluice/contracts';
import type { PauseWitness } from '@sluice/devkit/pauses';
import type { QuotaClient } from '@sluice/rpc';
import type { Cluster, Redis } from 'ioredis';
import { UNLIMITED } from './calls.ts';
import { excuseOutages } from './excuse-outages.ts';
import { PACKED_AT } from './packed-state.ts';

/** Each request of an organization costs another power of three, from 3^0 up to 3^19. */
const REQUESTS_AN_ORGANIZATION = 20;
/** About 750 requests a second. */
const HEAVY_LOAD = { everyMs: 4, atOnce: 3 };
/**
 * The requests of half a second of the heavy load. A pause of the machine excuses the undecided requests during it and
 * in the half second after it, so fewer requests than this cannot be distinguished from a pause.
 */
export const UNNOTICED_REQUESTS = 375;

export interface ChargeAuditOptions {
  readonly name: string;
  /** Selects which of the generated organizations send requests. */
  readonly isWanted?: (organization: string) => boolean;
  readonly load?: { readonly everyMs: number; readonly atOnce: number };
}

interface AuditedRequest {
  readonly organization: string;
  /** The cost is three to this power, so that the sum shows how often each request was charged. */
  readonly digit: number;
  readonly startedAt: number;
  answeredAfterMs: number;
  outcome: AdmissionDecision['outcome'] | 'unanswered';
}

export interface AuditReport {
  readonly requests: number;
  readonly admitted: number;
  /** Requests without a decision that no pause of the machine explains. */
  readonly unavailable: number;
  /** The slowest request, minus pauses of the machine. */
  readonly slowestMs: number;
  /** Requests that were charged more than once. Must be 0. */
  readonly chargedTwice: number;
  /** Admitted requests whose charge the store lost after it had acknowledged it. */
  readonly admittedUncharged: number;
}

/** A steady load in which each charge can be identified afterwards. */
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

  /** When the first request sent after the given time was admitted. */
  admittedSince(moment: number): number | undefined {
    for (const { startedAt, answeredAfterMs, outcome } of this.#requests) {
      if (outcome === 'admitted' && startedAt >= moment) return startedAt + answeredAfterMs;
    }
    return undefined;
  }

  countOf(outcome: AuditedRequest['outcome']): number {
    return this.#requests.filter((request) => request.outcome === outcome).length;
  }

  /** How long after the given time each undecided request was sent, including those explained by pauses. */
  undecidedAfter(moment: number): number[] {
    return this.#requests
      .filter(({ startedAt, outcome }) => outcome === 'unavailable' && startedAt >= moment)
      .map(({ startedAt }) => startedAt - moment);
  }

  /** How many requests sent after the given time are undecided without a pause that explains it. */
  unavailableSince(moment: number): number {
    const unavailable = this.#requests.filter(({ outcome }) => outcome === 'unavailable');
    const unexcused = excuseOutages(unavailable, this.#witness.look());
    return unexcused.filter(({ startedAt }) => startedAt >= moment).length;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#answers);
  }

  /** Compares the answers with the state of the store. */
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
        // Three charges of one request look like one charge of the next, so the number of requests is compared too.
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
