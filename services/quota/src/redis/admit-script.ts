import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { LIMIT_NAMES, type LimitWindow, type LimitWindows, type Limits } from '@sluice/contracts';
import type { LedgerCall, Verdict } from '../domain/ledger.ts';

/** The Lua script: its text, what it is given and what it replies. See admit.lua for both layouts. */

export interface Script {
  readonly text: string;
  readonly sha1: string;
}

export function scriptOf(text: string): Script {
  return { text, sha1: createHash('sha1').update(text).digest('hex') };
}

export function readAdmitScript(): Script {
  return scriptOf(readFileSync(new URL('admit.lua', import.meta.url), 'utf8'));
}

const UNLIMITED = -1;

const DOUBLE = 8;
const UINT32 = 4;
const GIVEN_BYTES = 7 * DOUBLE;
const GIVEN_COST_BYTES = 2 * DOUBLE;

/** Keys and arguments of one call, as EVALSHA takes them after the script: a key for each of the calls. */
export function scriptArguments(
  keys: readonly string[],
  calls: readonly LedgerCall[],
): (string | number | Buffer)[] {
  return [keys.length, ...keys, packCalls(calls)];
}

function packCalls(calls: readonly LedgerCall[]): Buffer {
  let bytes = 0;
  for (const { costs } of calls) bytes += GIVEN_BYTES + costs.length * GIVEN_COST_BYTES;
  const packed = Buffer.allocUnsafe(bytes);
  let at = 0;
  for (const { revision, limits, costs } of calls) {
    at = packed.writeDoubleLE(revision.epoch, at);
    at = packed.writeDoubleLE(revision.sequence, at);
    at = packed.writeDoubleLE(limits.requests_per_minute ?? UNLIMITED, at);
    at = packed.writeDoubleLE(limits.requests_per_day ?? UNLIMITED, at);
    at = packed.writeDoubleLE(limits.tokens_per_minute ?? UNLIMITED, at);
    at = packed.writeDoubleLE(limits.tokens_per_day ?? UNLIMITED, at);
    at = packed.writeDoubleLE(costs.length, at);
    for (const { requests, tokens } of costs) {
      at = packed.writeDoubleLE(requests, at);
      at = packed.writeDoubleLE(tokens, at);
    }
  }
  return packed;
}

const UNUSABLE = 0;
/** Where each field stands in what is said of an organization, before its costs. */
const CLOCK_AT = 1;
const MIDNIGHT_AT = CLOCK_AT + DOUBLE;
const LIMITS_AT = MIDNIGHT_AT + DOUBLE;
const HEAD_BYTES = LIMITS_AT + 4 * DOUBLE;
/** And in what is said of one cost. */
const ADMITTED_AT = 0;
const REFUSED_BY_AT = 1;
const EXCEEDS_AT = 2;
const WAIT_AT = 3;
const REQUESTS_RESET_AT = WAIT_AT + UINT32;
const TOKENS_RESET_AT = REQUESTS_RESET_AT + UINT32;
const REMAINING_AT = TOKENS_RESET_AT + UINT32;
const COST_BYTES = REMAINING_AT + 4 * DOUBLE;

/**
 * The script's reply to calls with so many costs each: a verdict for every cost, or undefined for a call whose
 * organization has a state that cannot be used. A reply of any other length is an error, never a guess.
 */
export function readReply(
  reply: Buffer,
  costs: readonly number[],
): (readonly Verdict[] | undefined)[] {
  let at = 0;
  const answers = costs.map((count) => {
    const from = at;
    at += reply[from] === UNUSABLE ? 1 : HEAD_BYTES + count * COST_BYTES;
    return reply[from] === UNUSABLE ? undefined : readVerdicts(reply.subarray(from, at), count);
  });
  // Of one that is too short, something could not be read.
  if (at !== reply.length) {
    throw new RangeError(`a reply of ${reply.length} bytes for costs ${costs.join()}`);
  }
  return answers;
}

function readVerdicts(part: Buffer, count: number): Verdict[] {
  const decidedAtMs = part.readDoubleLE(CLOCK_AT);
  const dayResetMs = part.readDoubleLE(MIDNIGHT_AT) - decidedAtMs;
  const limits = {
    requests_per_minute: limitAt(part, LIMITS_AT),
    requests_per_day: limitAt(part, LIMITS_AT + DOUBLE),
    tokens_per_minute: limitAt(part, LIMITS_AT + 2 * DOUBLE),
    tokens_per_day: limitAt(part, LIMITS_AT + 3 * DOUBLE),
  };
  const verdicts: Verdict[] = [];
  for (let index = 0; index < count; index += 1) {
    const cost = part.subarray(HEAD_BYTES + index * COST_BYTES);
    verdicts.push(readVerdict(cost, { limits, decidedAtMs, dayResetMs }));
  }
  return verdicts;
}

interface SharedByCosts {
  readonly limits: Limits;
  readonly decidedAtMs: number;
  readonly dayResetMs: number;
}

function readVerdict(cost: Buffer, { limits, decidedAtMs, dayResetMs }: SharedByCosts): Verdict {
  const windows: LimitWindows = {
    requests_per_minute: windowOf(
      limits.requests_per_minute,
      cost.readDoubleLE(REMAINING_AT),
      cost.readUInt32LE(REQUESTS_RESET_AT),
    ),
    requests_per_day: windowOf(
      limits.requests_per_day,
      cost.readDoubleLE(REMAINING_AT + DOUBLE),
      dayResetMs,
    ),
    tokens_per_minute: windowOf(
      limits.tokens_per_minute,
      cost.readDoubleLE(REMAINING_AT + 2 * DOUBLE),
      cost.readUInt32LE(TOKENS_RESET_AT),
    ),
    tokens_per_day: windowOf(
      limits.tokens_per_day,
      cost.readDoubleLE(REMAINING_AT + 3 * DOUBLE),
      dayResetMs,
    ),
  };
  const admitted = cost.readUInt8(ADMITTED_AT) === 1;
  if (admitted) return { outcome: 'admitted', windows, decidedAtMs };
  const refusedBy = LIMIT_NAMES[cost.readUInt8(REFUSED_BY_AT) - 1];
  if (refusedBy === undefined) throw new RangeError('a refusal by no limit');
  return {
    outcome: 'refused',
    windows,
    decidedAtMs,
    refusedBy,
    exceedsCapacity: cost.readUInt8(EXCEEDS_AT) === 1,
    waitMs: cost.readUInt32LE(WAIT_AT),
  };
}

function limitAt(reply: Buffer, offset: number): number | null {
  const limit = reply.readDoubleLE(offset);
  return limit < 0 ? null : limit;
}

function windowOf(limit: number | null, remaining: number, resetMs: number): LimitWindow | null {
  return limit === null ? null : { limit, remaining, resetMs };
}
