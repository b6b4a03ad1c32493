import { createHash } from 'node:crypto';

/** The digest under which the key with this number is stored. The writer and the client compute the same one. */
export function keyDigest(number: number): Buffer {
  return createHash('sha256').update(`bench key ${number}`).digest();
}

export function keyId(number: number): string {
  return `key_bench${String(number).padStart(8, '0')}`;
}
