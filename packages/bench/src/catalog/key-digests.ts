import { createHash } from 'node:crypto';

/** The digest under which the key of this number is stored: both who writes it and who asks for it can tell. */
export function keyDigest(number: number): Buffer {
  return createHash('sha256').update(`bench key ${number}`).digest();
}

export function keyId(number: number): string {
  return `key_bench${String(number).padStart(8, '0')}`;
}
