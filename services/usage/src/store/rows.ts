import type { RequestRecord } from '@sluice/contracts';

/** A row of the table of requests. Text that is not known is empty. */
export interface RequestRow {
  readonly id: string;
  readonly received_ms: number;
  readonly organization: string;
  readonly project: string;
  readonly credential: string;
  readonly operation: string;
  readonly model: string;
  readonly target: string;
  readonly stream: boolean;
  readonly outcome: string;
  readonly code: string;
  readonly gateway: string;
  readonly offers: number;
  readonly refused_offers: number;
  readonly estimated_tokens: number;
  readonly delivered_tokens: number;
  /** Whether the runtime counted the tokens. Otherwise they are estimates. */
  readonly counted: boolean;
  readonly input_tokens: number;
  readonly cached_tokens: number;
  readonly output_tokens: number;
  readonly reasoning_tokens: number;
  readonly first_token_ms: number | null;
  readonly duration_ms: number;
  /** The HTTP status. Null if none was sent, or if it is not known. */
  readonly status: number | null;
  /** Fields by which no query filters or sorts. */
  readonly details: RequestDetails;
  /** In units of 10⁻¹² of the currency. Null if the price was not known. */
  readonly spend: string | null;
}

/** The part of a request that is stored as JSON. */
export type RequestDetails = Pick<
  RequestRecord,
  'limits' | 'offers' | 'scheduling_class' | 'weight'
>;

/** A row of the table of attempts. */
export interface AttemptRow {
  readonly id: string;
  readonly request: string;
  readonly accepted_ms: number;
  readonly organization: string;
  readonly project: string;
  readonly model: string;
  readonly worker: string;
  readonly gateway: string;
  readonly ended: string;
  readonly reason: string;
  readonly generated_tokens: number;
  readonly queued_ms: number;
  readonly ran_ms: number;
  /** The id of the worker, if its name is not known. */
  readonly worker_name: string;
  readonly host: string;
  readonly runtime: string;
}
