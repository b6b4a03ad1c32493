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

/** Key and arguments of one call, as EVALSHA takes them after the script. */
export function scriptArguments(key: string, call: LedgerCall): (string | number)[] {
  const { limits, revision, costs } = call;
  const values: (string | number)[] = [1, key, revision.epoch, revision.sequence];
  for (const name of LIMIT_NAMES) values.push(limits[name] ?? UNLIMITED);
  for (const { requests, tokens } of costs) values.push(requests, tokens);
  return values;
}

const DOUBLE = 8;
const HEAD_BYTES = 6 * DOUBLE;
const COST_BYTES = 3 + 3 * 4 + 4 * DOUBLE;

/** The script's reply for this many costs. A reply of any other length is an error, never a guess. */
export function readReply(reply: Buffer, costs: number): Verdict[] {
  if (reply.length !== HEAD_BYTES + costs * COST_BYTES) {
    throw new RangeError(`a reply of ${reply.length} bytes for ${costs} costs`);
  }
  const decidedAtMs = reply.readDoubleLE(0);
  const dayResetMs = reply.readDoubleLE(DOUBLE) - decidedAtMs;
  const limits = {
    requests_per_minute: limitAt(reply, 2 * DOUBLE),
    requests_per_day: limitAt(reply, 3 * DOUBLE),
    tokens_per_minute: limitAt(reply, 4 * DOUBLE),
    tokens_per_day: limitAt(reply, 5 * DOUBLE),
  };
  const verdicts: Verdict[] = [];
  for (let index = 0; index < costs; index += 1) {
    const cost = reply.subarray(HEAD_BYTES + index * COST_BYTES);
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
