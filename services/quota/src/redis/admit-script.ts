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
const HEAD_BYTES = 1 + 6 * DOUBLE;
const COST_BYTES = 3 + 3 * 4 + 4 * DOUBLE;

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
    if (at > reply.length) throw wrongLength(reply, costs);
    return reply[from] === UNUSABLE ? undefined : readVerdicts(reply.subarray(from, at), count);
  });
  if (at !== reply.length) throw wrongLength(reply, costs);
  return answers;
}

function wrongLength(reply: Buffer, costs: readonly number[]): RangeError {
  return new RangeError(`a reply of ${reply.length} bytes for costs ${costs.join()}`);
}

function readVerdicts(part: Buffer, count: number): Verdict[] {
  const decidedAtMs = part.readDoubleLE(1);
  const dayResetMs = part.readDoubleLE(1 + DOUBLE) - decidedAtMs;
  const limits = {
    requests_per_minute: limitAt(part, 1 + 2 * DOUBLE),
    requests_per_day: limitAt(part, 1 + 3 * DOUBLE),
    tokens_per_minute: limitAt(part, 1 + 4 * DOUBLE),
    tokens_per_day: limitAt(part, 1 + 5 * DOUBLE),
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
  const remainingAt = 3 + 3 * 4;
  const windows: LimitWindows = {
    requests_per_minute: windowOf(
      limits.requests_per_minute,
      cost.readDoubleLE(remainingAt),
      cost.readUInt32LE(7),
    ),
    requests_per_day: windowOf(
      limits.requests_per_day,
      cost.readDoubleLE(remainingAt + DOUBLE),
      dayResetMs,
    ),
    tokens_per_minute: windowOf(
      limits.tokens_per_minute,
      cost.readDoubleLE(remainingAt + 2 * DOUBLE),
      cost.readUInt32LE(11),
    ),
    tokens_per_day: windowOf(
      limits.tokens_per_day,
      cost.readDoubleLE(remainingAt + 3 * DOUBLE),
      dayResetMs,
    ),
  };
  const admitted = cost.readUInt8(0) === 1;
  if (admitted) return { outcome: 'admitted', windows, decidedAtMs };
  const refusedBy = LIMIT_NAMES[cost.readUInt8(1) - 1];
  if (refusedBy === undefined) throw new RangeError('a refusal by no limit');
  return {
    outcome: 'refused',
    windows,
    decidedAtMs,
    refusedBy,
    exceedsCapacity: cost.readUInt8(2) === 1,
    waitMs: cost.readUInt32LE(3),
  };
}

function limitAt(reply: Buffer, offset: number): number | null {
  const limit = reply.readDoubleLE(offset);
  return limit < 0 ? null : limit;
}

function windowOf(limit: number | null, remaining: number, resetMs: number): LimitWindow | null {
  return limit === null ? null : { limit, remaining, resetMs };
}
