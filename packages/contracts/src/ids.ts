import { randomBytes } from 'node:crypto';

export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A byte at or above this would make some characters likelier than others. */
const UNBIASED_BELOW = 248;

const POOL_BYTES = 4096;
let pool = Buffer.alloc(0);
let used = 0;

/** Unguessable base-62 text. Drawn from a pool: a system call for each id costs more than the id. */
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

/** Names a process on the bus. Minted at each start, so that a restarted one is never taken for its predecessor. */
export function mintProcessId(): string {
  return randomBase62(12);
}

/** Ids of tool calls tell, when they come back, whether their step carried reasoning. */
const CALL_ID_WITH_REASONING = 'call_r';
export const CALL_ID_WITHOUT_REASONING = 'call_n';

/** A shorter one is a counter, which begins anew with the next answer. */
const ID_TO_HAND_BACK = /^[\w.:-]{9,80}$/;

/** Ends with the runtime's own id where it can be handed back, since some chat templates depend on it. */
export function mintCallId(withReasoning: boolean, runtimeId?: string): string {
  const prefix = withReasoning ? CALL_ID_WITH_REASONING : CALL_ID_WITHOUT_REASONING;
  const keepsIt = runtimeId !== undefined && ID_TO_HAND_BACK.test(runtimeId);
  return `${prefix}${keepsIt ? runtimeId : randomBase62(24)}`;
}

/** What the runtime is told instead of the id that a client has sent back: without what we have put before it. */
export function runtimeCallId(id: string): string {
  const prefix = id.slice(0, CALL_ID_WITH_REASONING.length);
  const isOurs = prefix === CALL_ID_WITH_REASONING || prefix === CALL_ID_WITHOUT_REASONING;
  return isOurs && id !== prefix ? id.slice(prefix.length) : id;
}
