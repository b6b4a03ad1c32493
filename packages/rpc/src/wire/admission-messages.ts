import type { AdmissionRequest, Limits, Revision } from '@sluice/contracts';
import { WireReader, tagOf } from './wire-reader.ts';
import { WireWriter } from './wire-writer.ts';

/** The request messages of proto/quota/v1/quota.proto. Encoded by hand: see docs/decisions/0014. */

/** An admission to be sent to a replica. */
export interface SentAdmission {
  /** Unique among the unanswered admissions of a stream. */
  readonly id: number;
  readonly request: AdmissionRequest;
  readonly traceparent: string;
}

/** An admission as received. */
export interface ReceivedAdmission {
  readonly id: number;
  /** Undefined if a field required for a decision is missing. */
  readonly request: AdmissionRequest | undefined;
  readonly traceparent: string;
  /** The id of the client's request, for log lines only. */
  readonly requestId: string;
}

const BATCH = { admission: tagOf(1, 'lengthDelimited') };

const ADMISSION = {
  id: tagOf(1, 'varint'),
  organization: tagOf(2, 'lengthDelimited'),
  limits: tagOf(3, 'lengthDelimited'),
  revision: tagOf(4, 'lengthDelimited'),
  requests: tagOf(5, 'fixed64'),
  tokens: tagOf(6, 'fixed64'),
  traceparent: tagOf(7, 'lengthDelimited'),
  requestId: tagOf(8, 'lengthDelimited'),
};

const LIMITS = {
  requestsPerMinute: tagOf(1, 'fixed64'),
  requestsPerDay: tagOf(2, 'fixed64'),
  tokensPerMinute: tagOf(3, 'fixed64'),
  tokensPerDay: tagOf(4, 'fixed64'),
};

const REVISION = { epoch: tagOf(1, 'fixed64'), sequence: tagOf(2, 'fixed64') };

const writer = new WireWriter();

export function encodeAdmissions(admissions: readonly SentAdmission[]): Buffer {
  writer.start();
  for (const admission of admissions) {
    const start = writer.begin(BATCH.admission);
    writeAdmission(admission);
    writer.end(start);
  }
  return writer.finish();
}

export function encodeAdmission(admission: SentAdmission): Buffer {
  writer.start();
  writeAdmission(admission);
  return writer.finish();
}

export function decodeAdmissions(bytes: Buffer): ReceivedAdmission[] {
  const reader = new WireReader(bytes);
  const admissions: ReceivedAdmission[] = [];
  while (reader.hasMore(reader.end)) {
    const tag = reader.tag();
    if (tag === BATCH.admission) admissions.push(readAdmission(reader, reader.enter()));
    else reader.skip(tag);
  }
  return admissions;
}

export function decodeAdmission(bytes: Buffer): ReceivedAdmission {
  const reader = new WireReader(bytes);
  return readAdmission(reader, reader.end);
}

function writeAdmission({ id, request, traceparent }: SentAdmission): void {
  writer.uint32(ADMISSION.id, id);
  writer.string(ADMISSION.organization, request.organization);
  writeLimits(request.limits);
  writeRevision(request.revision);
  writer.double(ADMISSION.requests, request.requests);
  writer.double(ADMISSION.tokens, request.tokens);
  if (traceparent !== '') writer.string(ADMISSION.traceparent, traceparent);
  if (request.requestId !== undefined) writer.string(ADMISSION.requestId, request.requestId);
}

/** An absent limit is unlimited. */
function writeLimits(limits: Limits): void {
  const start = writer.begin(ADMISSION.limits);
  const { requests_per_minute, requests_per_day, tokens_per_minute, tokens_per_day } = limits;
  if (requests_per_minute !== null) writer.double(LIMITS.requestsPerMinute, requests_per_minute);
  if (requests_per_day !== null) writer.double(LIMITS.requestsPerDay, requests_per_day);
  if (tokens_per_minute !== null) writer.double(LIMITS.tokensPerMinute, tokens_per_minute);
  if (tokens_per_day !== null) writer.double(LIMITS.tokensPerDay, tokens_per_day);
  writer.end(start);
}

function writeRevision({ epoch, sequence }: Revision): void {
  const start = writer.begin(ADMISSION.revision);
  writer.double(REVISION.epoch, epoch);
  writer.double(REVISION.sequence, sequence);
  writer.end(start);
}

function readAdmission(reader: WireReader, end: number): ReceivedAdmission {
  let id = 0;
  let organization = '';
  let limits: Limits | undefined;
  let revision: Revision | undefined;
  let requests = 0;
  let tokens = 0;
  let traceparent = '';
  let requestId = '';
  while (reader.hasMore(end)) {
    const tag = reader.tag();
    if (tag === ADMISSION.id) id = reader.uint32();
    else if (tag === ADMISSION.organization) organization = reader.string();
    else if (tag === ADMISSION.limits) limits = readLimits(reader, reader.enter());
    else if (tag === ADMISSION.revision) revision = readRevision(reader, reader.enter());
    else if (tag === ADMISSION.requests) requests = reader.double();
    else if (tag === ADMISSION.tokens) tokens = reader.double();
    else if (tag === ADMISSION.traceparent) traceparent = reader.string();
    else if (tag === ADMISSION.requestId) requestId = reader.string();
    else reader.skip(tag);
  }
  if (organization === '' || limits === undefined || revision === undefined) {
    return { id, request: undefined, traceparent, requestId };
  }
  const request = { organization, limits, revision, requests, tokens };
  return { id, request, traceparent, requestId };
}

function readLimits(reader: WireReader, end: number): Limits {
  let requestsPerMinute: number | null = null;
  let requestsPerDay: number | null = null;
  let tokensPerMinute: number | null = null;
  let tokensPerDay: number | null = null;
  while (reader.hasMore(end)) {
    const tag = reader.tag();
    if (tag === LIMITS.requestsPerMinute) requestsPerMinute = reader.double();
    else if (tag === LIMITS.requestsPerDay) requestsPerDay = reader.double();
    else if (tag === LIMITS.tokensPerMinute) tokensPerMinute = reader.double();
    else if (tag === LIMITS.tokensPerDay) tokensPerDay = reader.double();
    else reader.skip(tag);
  }
  return {
    requests_per_minute: requestsPerMinute,
    requests_per_day: requestsPerDay,
    tokens_per_minute: tokensPerMinute,
    tokens_per_day: tokensPerDay,
  };
}

function readRevision(reader: WireReader, end: number): Revision {
  let epoch = 0;
  let sequence = 0;
  while (reader.hasMore(end)) {
    const tag = reader.tag();
    if (tag === REVISION.epoch) epoch = reader.double();
    else if (tag === REVISION.sequence) sequence = reader.double();
    else reader.skip(tag);
  }
  return { epoch, sequence };
}
