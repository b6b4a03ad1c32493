import * as z from 'zod';
import type { LedgerRecord, RequestRecord } from './ledger.ts';

/** One of the streams of the outcome ledger. */
export interface LedgerPlace {
  readonly kind: 'outcomes' | 'refusals';
  readonly stream: string;
  /** The subjects of all records of an organization, or of all organizations if none is given. */
  subjects(organization?: string): string;
}

/** A stream to which records are published. */
interface LedgerSubject<Outcome> extends LedgerPlace {
  subject(record: Outcome): string;
}

/** Every subject on the bus. All begin with one prefix, which a deployment chooses. */
export interface Subjects {
  /** Gateway to one worker: a job. */
  job(worker: string): string;
  /** Worker to gateway: the frames of one attempt. It is the reply subject of the job. */
  delta(gateway: string, attempt: string): string;
  /** The frames of all attempts of a gateway, which subscribes to them once. */
  deltas(gateway: string): string;
  /** Gateway to one worker: a `ControlMessage`. The worker acknowledges it. */
  control(worker: string): string;
  /** Workers of a pool to all gateways: heartbeats. */
  fleet(pool: string): string;
  fleets(): string;
  /** Gateway to all workers: the gateway is alive. */
  lease(gateway: string): string;
  leases(): string;
  /** The inbox for replies to requests of a service. Each service may subscribe only to its own. */
  inbox(owner: string): string;
  /** Catalog to all gateways: a `CatalogChanged`, after which cached answers are stale. */
  catalogChanged(): string;
  /** Gateways and workers to the outcome ledger: a record. Its kind and its organization are in the subject. */
  readonly outcomes: LedgerSubject<Pick<LedgerRecord, 'kind' | 'organization'>>;
  /** Gateways to the outcome ledger: the record of a refused request, see `isRefusal`. */
  readonly refusals: LedgerSubject<Pick<RequestRecord, 'organization'>>;
  /** Outcomes and refusals. A reader of the ledger reads both. */
  readonly ledger: readonly LedgerPlace[];
}

export const DEFAULT_SUBJECT_PREFIX = 'sluice';
/** The key-value bucket of the catalog. */
export const DEFAULT_CATALOG_BUCKET = 'sluice-catalog';

/** The prefix of all subjects. All services and the command-line tool of a deployment must use the same one. */
export const SubjectPrefix = z
  .string()
  .regex(
    /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/,
    'must be letters, digits, _ and -, in parts joined by dots',
  )
  // With one of these words, the subjects of this deployment would match the ledger streams of another deployment.
  // JetStream would then store every message, also prompts and answers.
  .refine(
    (prefix) => !/\.(?:ledger|refusals)(?:\.|$)/.test(prefix),
    'must not have the part ledger or refusals after its first part, because another deployment may keep its ledger there',
  )
  .default(DEFAULT_SUBJECT_PREFIX);

export function subjectsUnder(prefix: string): Subjects {
  const outcomes: Subjects['outcomes'] = {
    kind: 'outcomes',
    stream: `${oneToken(prefix)}-ledger`,
    subject: ({ kind, organization }) => `${prefix}.ledger.${kind}.${oneToken(organization)}`,
    subjects: (organization) =>
      organization === undefined
        ? `${prefix}.ledger.>`
        : `${prefix}.ledger.*.${oneToken(organization)}`,
  };
  const refusals: Subjects['refusals'] = {
    kind: 'refusals',
    stream: `${oneToken(prefix)}-refusals`,
    subject: ({ organization }) => `${prefix}.refusals.${oneToken(organization)}`,
    subjects: (organization = '*') => `${prefix}.refusals.${oneToken(organization)}`,
  };
  return {
    job: (worker) => `${prefix}.job.${worker}`,
    delta: (gateway, attempt) => `${prefix}.delta.${gateway}.${attempt}`,
    deltas: (gateway) => `${prefix}.delta.${gateway}.*`,
    control: (worker) => `${prefix}.control.${worker}`,
    fleet: (pool) => `${prefix}.fleet.${pool}`,
    fleets: () => `${prefix}.fleet.*`,
    lease: (gateway) => `${prefix}.lease.${gateway}`,
    leases: () => `${prefix}.lease.*`,
    inbox: (owner) => `${prefix}.inbox.${owner}`,
    catalogChanged: () => `${prefix}.catalog.changed`,
    outcomes,
    refusals,
    ledger: [outcomes, refusals],
  };
}

/**
 * The name of a worker on the bus. It begins with the pool, so that the NATS user of a pool can be limited to the jobs
 * of that pool. The name of a pool contains no dot.
 */
export function workerName(pool: string, process: string): string {
  return `${pool}.${process}`;
}

/** Encodes dots, because a dot separates the tokens of a subject. No identifier contains an equals sign. */
function oneToken(identifier: string): string {
  return identifier.replaceAll('.', '=2E');
}

/** The name of an attempt: the last token of its delta subject, and the name in a cancel message. */
export function attemptName(request: string, attempt: number): string {
  return `${request}-${attempt}`;
}

/** Replaces the attempt's name in a delta subject when a worker asks whether the gateway is alive. */
export const GATEWAY_INQUIRY = 'inquiry';

/** The attempt's name from a delta subject. Does not split the subject, because it runs for every message. */
export function attemptOfSubject(subject: string): string {
  return subject.slice(subject.lastIndexOf('.') + 1);
}
