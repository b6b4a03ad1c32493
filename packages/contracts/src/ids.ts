import { randomBytes } from 'node:crypto';

export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * 4 × 62. A byte from here on is discarded, because modulo 62 it would make the first characters more likely than the
 * others.
 */
const UNBIASED_BELOW = 248;

const POOL_BYTES = 4096;
let pool = Buffer.alloc(0);
let used = 0;

/** Unguessable base-62 text. The random bytes come from a pool: a system call for each id costs more than the id. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    if (used === pool.length) {
      pool = randomBytes(POOL_BYTES);
      used = 0;
    }
    const byte = pool[used] ?? 0;
    used += 1;
    if (byte < UNBIASED_BELOW) text += BASE62.charAt(byte % 62);
  }
  return text;
}

export function mintCompletionId(): string {
  return `chatcmpl-${randomBase62(29)}`;
}

/** The name of a process on the bus. It is new at each start, so a restart is not mistaken for the old process. */
export function mintProcessId(): string {
  return randomBase62(12);
}

/** When a client sends a tool call back, the prefix of its id shows whether its message carried reasoning. */
const CALL_ID_WITH_REASONING = 'call_r';
export const CALL_ID_WITHOUT_REASONING = 'call_n';

/**
 * Matches the ids of runtimes that are kept as a part of the new id. A shorter id is only a counter, which starts again
 * with the next answer.
 */
const KEPT_RUNTIME_ID = /^[\w.:-]{9,80}$/;

/** The id of a tool call for the client. It ends with the runtime's id, because some chat templates depend on it. */
export function mintCallId(withReasoning: boolean, runtimeId?: string): string {
  const prefix = withReasoning ? CALL_ID_WITH_REASONING : CALL_ID_WITHOUT_REASONING;
  const keepsIt = runtimeId !== undefined && KEPT_RUNTIME_ID.test(runtimeId);
  return `${prefix}${keepsIt ? runtimeId : randomBase62(24)}`;
}

/** Removes the prefix of `mintCallId` from an id that a client sends back: the runtime gets its own id. */
export function runtimeCallId(id: string): string {
  const prefix = id.slice(0, CALL_ID_WITH_REASONING.length);
  const isOurs = prefix === CALL_ID_WITH_REASONING || prefix === CALL_ID_WITHOUT_REASONING;
  return isOurs && id !== prefix ? id.slice(prefix.length) : id;
}
