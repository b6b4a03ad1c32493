import type { AdmissionDecision, AdmissionRequest } from '@sluice/contracts';
import type { QuotaHandlers } from '@sluice/rpc';

/** An admission of this many tokens gets no answer. */
export const UNANSWERED_TOKENS = 404;

const NO_LIMITS = {
  requests_per_minute: null,
  requests_per_day: null,
  tokens_per_minute: null,
  tokens_per_day: null,
};

/** What a replica answers in tests: it admits everything while its store is there, and reports each admission. */
export class ReplicaHandlers implements QuotaHandlers {
  storeIsAway = false;
  readonly #id: number;
  readonly #onAdmission: (organization: string) => void;

  constructor(id: number, onAdmission: (organization: string) => void) {
    this.#id = id;
    this.#onAdmission = onAdmission;
  }

  async admit({ organization, tokens }: AdmissionRequest): Promise<AdmissionDecision> {
    this.#onAdmission(organization);
    if (tokens === UNANSWERED_TOKENS) return new Promise(() => undefined);
    if (this.storeIsAway) return { outcome: 'unavailable' };
    return { outcome: 'admitted', windows: NO_LIMITS, decidedAtMs: this.#id };
  }

  async peek(): Promise<AdmissionDecision> {
    return { outcome: 'unavailable' };
  }
}

export function admission(organization: string, tokens = 1): AdmissionRequest {
  return {
    organization,
    limits: NO_LIMITS,
    revision: { epoch: 1, sequence: 1 },
    requests: 1,
    tokens,
  };
}
