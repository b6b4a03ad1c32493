import type { AdmissionDecision, LimitName, LimitWindow } from '@sluice/contracts';
import { WireReader, tagOf } from './wire-reader.ts';
import { WireWriter } from './wire-writer.ts';

/** The answer messages of proto/quota/v1/quota.proto. Encoded by hand: see docs/decisions/0014. */

/** A decision with the id of its admission. */
export interface NumberedDecision {
  readonly id: number;
  readonly decision: AdmissionDecision;
}

export interface DecisionBatch {
  readonly decisions: readonly NumberedDecision[];
  /** The replica is about to stop and accepts nothing more on this stream. */
  readonly draining: boolean;
}

export const UNAVAILABLE: AdmissionDecision = { outcome: 'unavailable' };

const BATCH = { decision: tagOf(1, 'lengthDelimited'), draining: tagOf(2, 'varint') };

const DECISION = {
  id: tagOf(1, 'varint'),
  outcome: tagOf(2, 'varint'),
  refusedBy: tagOf(3, 'varint'),
  waitMs: tagOf(4, 'fixed64'),
  exceedsCapacity: tagOf(5, 'varint'),
  requestsPerMinute: tagOf(6, 'lengthDelimited'),
  requestsPerDay: tagOf(7, 'lengthDelimited'),
  tokensPerMinute: tagOf(8, 'lengthDelimited'),
  tokensPerDay: tagOf(9, 'lengthDelimited'),
  decidedAtMs: tagOf(10, 'fixed64'),
};

const WINDOW = {
  limit: tagOf(1, 'fixed64'),
  remaining: tagOf(2, 'fixed64'),
  resetMs: tagOf(3, 'fixed64'),
};

const OUTCOME = { admitted: 1, refused: 2 };

const LIMIT_NUMBERS: Readonly<Record<LimitName, number>> = {
  requests_per_minute: 1,
  requests_per_day: 2,
  tokens_per_minute: 3,
  tokens_per_day: 4,
};

const LIMIT_OF_NUMBER: readonly (LimitName | undefined)[] = [
  undefined,
  'requests_per_minute',
  'requests_per_day',
  'tokens_per_minute',
  'tokens_per_day',
];

const writer = new WireWriter();

export function encodeDecisionBatch({ decisions, draining }: DecisionBatch): Buffer {
  writer.start();
  for (const decision of decisions) {
    const start = writer.begin(BATCH.decision);
    writeDecision(decision);
    writer.end(start);
  }
  if (draining) writer.uint32(BATCH.draining, 1);
  return writer.finish();
}

export function encodeDecision(decision: NumberedDecision): Buffer {
  writer.start();
  writeDecision(decision);
  return writer.finish();
}

export function decodeDecisionBatch(bytes: Buffer): DecisionBatch {
  const reader = new WireReader(bytes);
  const decisions: NumberedDecision[] = [];
  let draining = false;
  while (reader.hasMore(reader.end)) {
    const tag = reader.tag();
    if (tag === BATCH.decision) decisions.push(readDecision(reader, reader.enter()));
    else if (tag === BATCH.draining) draining = reader.uint32() !== 0;
    else reader.skip(tag);
  }
  return { decisions, draining };
}

export function decodeDecision(bytes: Buffer): NumberedDecision {
  const reader = new WireReader(bytes);
  return readDecision(reader, reader.end);
}

function writeDecision({ id, decision }: NumberedDecision): void {
  writer.uint32(DECISION.id, id);
  if (decision.outcome === 'unavailable') return;
  writer.uint32(DECISION.outcome, OUTCOME[decision.outcome]);
  if (decision.outcome === 'refused') {
    writer.uint32(DECISION.refusedBy, LIMIT_NUMBERS[decision.refusedBy]);
    writer.double(DECISION.waitMs, decision.waitMs);
    if (decision.exceedsCapacity) writer.uint32(DECISION.exceedsCapacity, 1);
  }
  const { windows } = decision;
  writeWindow(DECISION.requestsPerMinute, windows.requests_per_minute);
  writeWindow(DECISION.requestsPerDay, windows.requests_per_day);
  writeWindow(DECISION.tokensPerMinute, windows.tokens_per_minute);
  writeWindow(DECISION.tokensPerDay, windows.tokens_per_day);
  writer.double(DECISION.decidedAtMs, decision.decidedAtMs);
}

/** An absent window is unlimited. */
function writeWindow(tag: number, window: LimitWindow | null): void {
  if (window === null) return;
  const start = writer.begin(tag);
  writer.double(WINDOW.limit, window.limit);
  writer.double(WINDOW.remaining, window.remaining);
  writer.double(WINDOW.resetMs, window.resetMs);
  writer.end(start);
}

/** Reads a decision. One that cannot be understood, such as an outcome of a later version, becomes `unavailable`. */
function readDecision(reader: WireReader, end: number): NumberedDecision {
  let id = 0;
  let outcome = 0;
  let refusedByNumber = 0;
  let waitMs = 0;
  let exceedsCapacity = false;
  let requestsPerMinute: LimitWindow | null = null;
  let requestsPerDay: LimitWindow | null = null;
  let tokensPerMinute: LimitWindow | null = null;
  let tokensPerDay: LimitWindow | null = null;
  let decidedAtMs = 0;
  while (reader.hasMore(end)) {
    const tag = reader.tag();
    if (tag === DECISION.id) id = reader.uint32();
    else if (tag === DECISION.outcome) outcome = reader.uint32();
    else if (tag === DECISION.refusedBy) refusedByNumber = reader.uint32();
    else if (tag === DECISION.waitMs) waitMs = reader.double();
    else if (tag === DECISION.exceedsCapacity) exceedsCapacity = reader.uint32() !== 0;
    else if (tag === DECISION.requestsPerMinute) requestsPerMinute = readWindow(reader);
    else if (tag === DECISION.requestsPerDay) requestsPerDay = readWindow(reader);
    else if (tag === DECISION.tokensPerMinute) tokensPerMinute = readWindow(reader);
    else if (tag === DECISION.tokensPerDay) tokensPerDay = readWindow(reader);
    else if (tag === DECISION.decidedAtMs) decidedAtMs = reader.double();
    else reader.skip(tag);
  }
  const windows = {
    requests_per_minute: requestsPerMinute,
    requests_per_day: requestsPerDay,
    tokens_per_minute: tokensPerMinute,
    tokens_per_day: tokensPerDay,
  };
  if (outcome === OUTCOME.admitted) {
    return { id, decision: { outcome: 'admitted', windows, decidedAtMs } };
  }
  const refusedBy = LIMIT_OF_NUMBER[refusedByNumber];
  if (outcome !== OUTCOME.refused || refusedBy === undefined) return { id, decision: UNAVAILABLE };
  return {
    id,
    decision: { outcome: 'refused', windows, decidedAtMs, refusedBy, waitMs, exceedsCapacity },
  };
}

function readWindow(reader: WireReader): LimitWindow {
  const end = reader.enter();
  let limit = 0;
  let remaining = 0;
  let resetMs = 0;
  while (reader.hasMore(end)) {
    const tag = reader.tag();
    if (tag === WINDOW.limit) limit = reader.double();
    else if (tag === WINDOW.remaining) remaining = reader.double();
    else if (tag === WINDOW.resetMs) resetMs = reader.double();
    else reader.skip(tag);
  }
  return { limit, remaining, resetMs };
}
