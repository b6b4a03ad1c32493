import * as z from 'zod';
import type { LedgerRecord, RequestRecord } from './ledger.ts';

/** One of the streams that the outcome ledger is made of. */
export interface LedgerPlace {
  readonly kind: 'outcomes' | 'refusals';
  readonly stream: string;
  /** All records of an organization; without one, of all. */
  subjects(organization?: string): string;
}

/** With where in it a record belongs. */
interface LedgerDesk<Outcome> extends LedgerPlace {
  subject(record: Outcome): string;
}

/** Every subject on the bus, each named once. All stand under one prefix, which a deployment chooses. */
export interface Subjects {
  /** Gateway to one worker, by its name on the bus: a job. */
  job(worker: string): string;
  /** Worker to gateway: the frames of one attempt. Also the job's reply subject. */
  delta(gateway: string, attempt: string): string;
  /** What a gateway subscribes to once, for all of its attempts. */
  deltas(gateway: string): string;
  /** Gateway to worker: cancel, or whether it is there; acknowledged. */
  control(worker: string): string;
  /** Worker to all gateways: heartbeats of a pool. */
  fleet(pool: string): string;
  fleets(): string;
  /** Gateway to all workers: I am alive. */
  lease(gateway: string): string;
  leases(): string;
  /** Where answers to requests of this service go: each service hears its own alone. */
  inbox(owner: string): string;
  /** Catalog to all gateways: forget what you cached of this. */
  catalogChanged(): string;
  /** Gateways and workers to the outcome ledger: a record, by its kind and its organization. */
  readonly outcomes: LedgerDesk<Pick<LedgerRecord, 'kind' | 'organization'>>;
  /** Gateways to the same: a request that came to nothing, by its organization. See `cameToNothing`. */
  readonly refusals: LedgerDesk<Pick<RequestRecord, 'organization'>>;
  /** Whoever reads the ledger reads both: gateways of earlier versions kept refusals with the others. */
  readonly ledger: readonly LedgerPlace[];
}

export const DEFAULT_SUBJECT_PREFIX = 'sluice';
/** The key-value bucket of the catalog. */
export const DEFAULT_CATALOG_BUCKET = 'sluice-catalog';

/** What every service and the command take for a prefix: they must agree on it. */
export const SubjectPrefix = z
  .string()
  .regex(
    /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/,
    'must be letters, digits, _ and -, in parts joined by dots',
  )
  // There JetStream would keep what this deployment only passes on, prompts and answers too.
  .refine(
    (prefix) => !/\.(?:ledger|refusals)(?:\.|$)/.test(prefix),
    'must not have ledger or refusals after its first part, where the streams of another deployment are: take another word',
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
 * What a worker is called on the bus: by its pool, so that the user of a pool has rights over the jobs of that pool
 * alone. A pool's name is letters, digits, `-` and `_`.
 */
export function workerName(pool: string, process: string): string {
  return `${pool}.${process}`;
}

/** Identifiers may hold dots, which part a subject's tokens; none holds an equals sign. */
function oneToken(identifier: string): string {
  return identifier.replaceAll('.', '=2E');
}

/** The last token of an attempt's delta subject, and the name by which it is cancelled. */
export function attemptName(request: string, attempt: number): string {
  return `${request}-${attempt}`;
}

/** Where an attempt's name would be: a worker asks whether the gateway is there. */
export const GATEWAY_INQUIRY = 'inquiry';

/** The attempt's name, cut from a delta subject. Runs for every message, hence no split. */
export function attemptOfSubject(subject: string): string {
  return subject.slice(subject.lastIndexOf('.') + 1);
}
