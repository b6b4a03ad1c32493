import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { LimitName, Limits, LimitWindow, LimitWindows } from '@sluice/contracts';
import type { StoreCall, Verdict } from '../limiter/limit-store.ts';

// Encodes the arguments of the Lua script and decodes its reply. Both layouts are described in admit.lua.

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

/** The order of the limits in the arguments and the reply of admit.lua. The first limit has number 1. */
const LIMIT_ORDER = [
  'requests_per_minute',
  'requests_per_day',
  'tokens_per_minute',
  'tokens_per_day',
] as const satisfies readonly LimitName[];
type OrderedLimits = Record<(typeof LIMIT_ORDER)[number], number | null>;

const UNLIMITED = -1;
const DAY_MS = 86_400_000;

const DOUBLE = 8;
const UINT32 = 4;
/** The size of the revision, the limits and the number of costs in the arguments. */
const GIVEN_BYTES = (2 + LIMIT_ORDER.length + 1) * DOUBLE;
const GIVEN_COST_BYTES = 2 * DOUBLE;

/** The arguments of EVALSHA after the script: one key for each call, and one packed argument. */
export function scriptArguments(
  keys: readonly string[],
  calls: readonly StoreCall[],
): (string | number | Buffer)[] {
  return [keys.length, ...keys, packCalls(calls)];
}

function packCalls(calls: readonly StoreCall[]): Buffer {
  let bytes = 0;
  for (const { costs } of calls) bytes += GIVEN_BYTES + costs.length * GIVEN_COST_BYTES;
  // The buffer is not from Node's pool. The command objects of ioredis can live until a full garbage collection, and
  // each would keep a whole block of the pool in memory.
  // https://nodejs.org/api/buffer.html#static-method-bufferallocunsafeslowsize
  const packed = Buffer.allocUnsafeSlow(bytes);
  const view = new DataView(packed.buffer, packed.byteOffset, bytes);
  let at = 0;
  const write = (value: number) => {
    view.setFloat64(at, value, true);
    at += DOUBLE;
  };
  for (const { revision, limits, costs } of calls) {
    write(revision.epoch);
    write(revision.sequence);
    for (const name of LIMIT_ORDER) write(limits[name] ?? UNLIMITED);
    write(costs.length);
    for (const { requests, tokens } of costs) {
      write(requests);
      write(tokens);
    }
  }
  return packed;
}

/**
 * The values of the first byte of an organization's part of the reply. With `AS_GIVEN`, the limits of the call and the
 * clock of the reply apply, and the counted day is today. With `NOT_AS_GIVEN`, the clock, the end of the counted day
 * and the limits follow.
 */
const UNUSABLE = 0;
const AS_GIVEN = 1;
const NOT_AS_GIVEN = 2;
/** The first byte of a cost's part of the reply. Any other value is the number of the limit that refuses the cost. */
const ADMITTED = 0;

/**
 * Decodes the script's reply: for each call a verdict for each cost, or undefined if the stored state of its
 * organization cannot be used. Throws if the reply has an unknown value, or too many or too few bytes.
 */
export function readReply(
  reply: Buffer,
  calls: readonly StoreCall[],
): (readonly Verdict[] | undefined)[] {
  const reader = new ReplyReader(reply);
  const now = reader.double();
  const answers = calls.map((call) => readAnswer(reader, now, call));
  if (!reader.atEnd) throw new RangeError(`a reply of ${reply.length} bytes is too long`);
  return answers;
}

function readAnswer(
  reader: ReplyReader,
  now: number,
  { limits, costs }: StoreCall,
): readonly Verdict[] | undefined {
  const kind = reader.byte();
  if (kind === UNUSABLE) return undefined;
  if (kind === AS_GIVEN) {
    const applied = { now, dayEndsAt: now - (now % DAY_MS) + DAY_MS, limits };
    return costs.map(() => readVerdict(reader, applied));
  }
  if (kind !== NOT_AS_GIVEN) throw new RangeError(`an answer of kind ${kind}`);
  const applied = {
    now: reader.double(),
    dayEndsAt: reader.double(),
    limits: readLimits(reader),
  };
  return costs.map(() => readVerdict(reader, applied));
}

/** What the script decided by. */
interface Applied {
  readonly now: number;
  /** The end of the counted day. If the clock was set back over midnight, the counted day is tomorrow. */
  readonly dayEndsAt: number;
  readonly limits: Limits;
}

function readVerdict(reader: ReplyReader, { now, dayEndsAt, limits }: Applied): Verdict {
  const refusedByNumber = reader.byte();
  const used = {
    requestsDeficit: reader.double(),
    tokensDeficit: reader.double(),
    requestsToday: reader.double(),
    tokensToday: reader.double(),
  };
  const windows = windowsAfter(used, limits, dayEndsAt - now);
  if (refusedByNumber === ADMITTED) return { outcome: 'admitted', windows, decidedAtMs: now };
  const refusedBy = LIMIT_ORDER[refusedByNumber - 1];
  if (refusedBy === undefined) throw new RangeError(`a refusal by limit ${refusedByNumber}`);
  const waitMs = reader.uint32();
  const exceedsCapacity = reader.byte() === 1;
  return { outcome: 'refused', windows, decidedAtMs: now, refusedBy, waitMs, exceedsCapacity };
}

/** The type of the result ensures that `LIMIT_ORDER` names every limit. */
function readLimits(reader: ReplyReader): Limits {
  const limits: OrderedLimits = {
    requests_per_minute: null,
    requests_per_day: null,
    tokens_per_minute: null,
    tokens_per_day: null,
  };
  for (const name of LIMIT_ORDER) limits[name] = limitOf(reader.double());
  return limits;
}

function limitOf(stored: number): number | null {
  return stored < 0 ? null : stored;
}

/** Reads little-endian values in order. Throws a RangeError at the end of the reply. */
class ReplyReader {
  readonly #view: DataView;
  #at = 0;

  constructor({ buffer, byteOffset, length }: Buffer) {
    this.#view = new DataView(buffer, byteOffset, length);
  }

  get atEnd(): boolean {
    return this.#at === this.#view.byteLength;
  }

  byte(): number {
    this.#at += 1;
    return this.#view.getUint8(this.#at - 1);
  }

  uint32(): number {
    this.#at += UINT32;
    return this.#view.getUint32(this.#at - UINT32, true);
  }

  double(): number {
    this.#at += DOUBLE;
    return this.#view.getFloat64(this.#at - DOUBLE, true);
  }
}

/** How much of its limits an organization has used, as stored. */
export interface Used {
  /** Deficits of the minute limits, in units of 1/60000. */
  readonly requestsDeficit: number;
  readonly tokensDeficit: number;
  /** Counts of the counted day. */
  readonly requestsToday: number;
  readonly tokensToday: number;
}

const MINUTE_MS = 60_000;

/**
 * The values of the rate limit headers. Deficits and limits are integers below 2^53. If the quotient of two of these is
 * not an integer, a double does not round it to one, so `ceil` is exact. A count above 2^53 exceeds every limit, so its
 * exact value does not matter. `restOfDayMs` is the time until the end of the counted day.
 */
export function windowsAfter(used: Used, limits: Limits, restOfDayMs: number): LimitWindows {
  return {
    requests_per_minute: minuteWindow(limits.requests_per_minute, used.requestsDeficit),
    requests_per_day: dayWindow(limits.requests_per_day, used.requestsToday, restOfDayMs),
    tokens_per_minute: minuteWindow(limits.tokens_per_minute, used.tokensDeficit),
    tokens_per_day: dayWindow(limits.tokens_per_day, used.tokensToday, restOfDayMs),
  };
}

/** In one millisecond, the deficit shrinks by as many units as the limit allows requests or tokens a minute. */
function minuteWindow(limit: number | null, deficit: number): LimitWindow | null {
  if (limit === null) return null;
  return {
    limit,
    remaining: limit - Math.ceil(deficit / MINUTE_MS),
    resetMs: limit === 0 ? 0 : Math.ceil(deficit / limit),
  };
}

/** After a limit was lowered, `used` may be above the limit. */
function dayWindow(limit: number | null, used: number, resetMs: number): LimitWindow | null {
  return limit === null ? null : { limit, remaining: Math.max(0, limit - used), resetMs };
}
