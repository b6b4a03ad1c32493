export const SLOTS = 16_384;

const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte << 8;
  for (let bit = 0; bit < 8; bit += 1) {
    remainder = remainder & 0x8000 ? (remainder << 1) ^ 0x1021 : remainder << 1;
  }
  return remainder;
});

/** The slot in which Redis Cluster keeps a key: by what is within its first braces, if there is something. */
export function slotOfKey(key: string): number {
  const opens = key.indexOf('{');
  const closes = opens === -1 ? -1 : key.indexOf('}', opens + 1);
  return closes > opens + 1 ? hash(key, opens + 1, closes) : hash(key, 0, key.length);
}

/** CRC-16/XMODEM of its bytes. Asked for every admission, so that nothing is made for plain names. */
function hash(text: string, from: number, to: number): number {
  let remainder = 0;
  for (let index = from; index < to; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 127) return hashBytes(Buffer.from(text.slice(from, to)));
    remainder = next(remainder, code);
  }
  return remainder % SLOTS;
}

function hashBytes(bytes: Buffer): number {
  let remainder = 0;
  for (const byte of bytes) remainder = next(remainder, byte);
  return remainder % SLOTS;
}

function next(remainder: number, byte: number): number {
  return ((remainder << 8) & 0xff_ff) ^ (TABLE[(remainder >> 8) ^ byte] ?? 0);
}
