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
  /** The input tokens that admission estimated. */
  readonly estimated_tokens: number;
  /** The output tokens that were sent to the client. */
  readonly delivered_tokens: number;
  /** Whether the runtime counted the four kinds of tokens below. Otherwise the service estimated them. */
  readonly counted: boolean;
  readonly input_tokens: number;
  readonly cached_tokens: number;
  readonly output_tokens: number;
  readonly reasoning_tokens: number;
  readonly first_token_ms: number | null;
  readonly duration_ms: number;
  /** The HTTP status. Null if none was sent, or if it is not known. */
  readonly status: number | null;
  /** Fields that queries only return. No query filters or sorts by them. */
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
  /** How the attempt ended, such as `finished`. */
  readonly ended: string;
  readonly reason: string;
  readonly generated_tokens: number;
  /** Time in the queue of the worker. */
  readonly queued_ms: number;
  /** Time from leaving the queue to the end. 0 if the attempt never left the queue. */
  readonly ran_ms: number;
  /** The id of the worker, if its name is not known. */
  readonly worker_name: string;
  readonly host: string;
  readonly runtime: string;
}
