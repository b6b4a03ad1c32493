const PLAIN = /[A-Za-z0-9_/-]/;

/**
 * Encodes any text as a valid key of a JetStream key-value store. Each UTF-8 byte of a character that `PLAIN` does not
 * match becomes `=` and two hexadecimal digits. Dots are encoded too, so that a key is always a single token of the
 * subject.
 */
export function encodeKey(key: string): string {
  if (key === '') throw new RangeError('a key cannot be empty');
  let encoded = '';
  for (const character of key) {
    if (PLAIN.test(character)) encoded += character;
    else {
      for (const byte of Buffer.from(character)) {
        encoded += `=${byte.toString(16).toUpperCase().padStart(2, '0')}`;
      }
    }
  }
  return encoded;
}

export function decodeKey(encoded: string): string {
  const bytes: number[] = [];
  for (let at = 0; at < encoded.length; at += 1) {
    if (encoded[at] === '=') {
      bytes.push(Number.parseInt(encoded.slice(at + 1, at + 3), 16));
      at += 2;
    } else bytes.push(encoded.charCodeAt(at));
  }
  return Buffer.from(bytes).toString('utf8');
}
