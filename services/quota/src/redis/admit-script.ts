import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { LimitName, Limits } from '@sluice/contracts';
import type { LedgerCall, Verdict } from '../domain/ledger.ts';
import { windowsAfter } from '../domain/windows-after.ts';

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

/** As admit.lua has them, in what it is given, in its reply and in the numbers that it calls them by. */
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
/** The revision, the limits and the number of costs. */
const GIVEN_BYTES = (2 + LIMIT_ORDER.length + 1) * DOUBLE;
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
  // Not of Node's pool: V8 keeps ioredis's commands until a full collection (docs/measurements.md), and with its
  // arguments each would keep 64 KB of the pool.
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

/** What is said of an organization first. */
const UNUSABLE = 0;
const AS_GIVEN = 1;
const NOT_AS_GIVEN = 2;
/** And of a cost: this, or the number of the limit that refuses it. */
const ADMITTED = 0;

/**
 * The script's reply to these calls: a verdict for every cost, or undefined for a call whose organization has a
 * state that cannot be used. A reply that says anything else, or more or less, is an error, never a guess.
 */
export function readReply(
  reply: Buffer,
  calls: readonly LedgerCall[],
): (readonly Verdict[] | undefined)[] {
  const reader = new ReplyReader(reply);
  const clock = reader.double();
  const answers = calls.map((call) => readAnswer(reader, clock, call));
  if (!reader.atEnd) throw new RangeError(`a reply of ${reply.length} bytes says too much`);
  return answers;
}

function readAnswer(
  reader: ReplyReader,
  clock: number,
  { limits, costs }: LedgerCall,
): readonly Verdict[] | undefined {
  const kind = reader.byte();
  if (kind === UNUSABLE) return undefined;
  if (kind === AS_GIVEN) {
    const inForce = { now: clock, dayEndsAt: clock - (clock % DAY_MS) + DAY_MS, limits };
    return costs.map(() => readVerdict(reader, inForce));
  }
  if (kind !== NOT_AS_GIVEN) throw new RangeError(`an answer of kind ${kind}`);
  const inForce = {
    now: reader.double(),
    dayEndsAt: reader.double(),
    limits: readLimits(reader),
  };
  return costs.map(() => readVerdict(reader, inForce));
}

interface InForce {
  readonly now: number;
  /** Of the day that is counted: tomorrow's, once the clock was put back over midnight. */
  readonly dayEndsAt: number;
  readonly limits: Limits;
}

function readVerdict(reader: ReplyReader, { now, dayEndsAt, limits }: InForce): Verdict {
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

/** Where the order lacks a limit, what is returned is of another type. */
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

function limitOf(given: number): number | null {
  return given < 0 ? null : given;
}

/** Reads little endian, in order. Whatever lies beyond the end is a RangeError. */
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
