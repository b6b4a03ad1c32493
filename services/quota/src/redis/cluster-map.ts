import type { Cluster } from 'ioredis';

export const SLOTS = 16_384;

/** The remainder of each byte, for CRC-16 with the polynomial 0x1021. */
const CRC_TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte << 8;
  for (let bit = 0; bit < 8; bit += 1) {
    remainder = remainder & 0x8000 ? (remainder << 1) ^ 0x1021 : remainder << 1;
  }
  return remainder;
});

/**
 * The slot of a key in Redis Cluster, computed from its hash tag if it has one.
 * https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#hash-tags
 */
export function slotOfKey(key: string): number {
  const opens = key.indexOf('{');
  const closes = opens === -1 ? -1 : key.indexOf('}', opens + 1);
  return closes > opens + 1 ? hash(key, opens + 1, closes) : hash(key, 0, key.length);
}

/** The slot: CRC-16/XMODEM of the UTF-8 bytes. Called for each admission, so it allocates nothing for ASCII names. */
function hash(text: string, from: number, to: number): number {
  let remainder = 0;
  for (let index = from; index < to; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 127) return hashBytes(Buffer.from(text.slice(from, to)));
    remainder = addByte(remainder, code);
  }
  return remainder % SLOTS;
}

function hashBytes(bytes: Buffer): number {
  let remainder = 0;
  for (const byte of bytes) remainder = addByte(remainder, byte);
  return remainder % SLOTS;
}

function addByte(remainder: number, byte: number): number {
  return ((remainder << 8) & 0xff_ff) ^ (CRC_TABLE[(remainder >> 8) ^ byte] ?? 0);
}

/** The part of the ioredis cluster client that is used here. */
export interface ClusterView {
  readonly status: string;
  /** For each slot the addresses of its nodes, the master first. */
  readonly slots: readonly (readonly string[] | undefined)[];
  nodes(role: 'master'): readonly ClusterNode[];
}

export type ClusterNode = Pick<ReturnType<Cluster['nodes']>[number], 'status' | 'options'>;

/** The addresses of the masters of all slots. If a slot has no master, the set contains undefined. */
export function mastersOf({ slots }: ClusterView): Set<string | undefined> {
  const masters = new Set<string | undefined>();
  let last: string | undefined;
  for (let slot = 0; slot < SLOTS; slot += 1) {
    const master = slots[slot]?.[0];
    // Neighbouring slots usually have the same master.
    if (slot > 0 && master === last) continue;
    masters.add(master);
    last = master;
  }
  return masters;
}

/** The connection to a master. Undefined after it was lost, until the next command for this master. */
export function nodeAt(cluster: ClusterView, address: string): ClusterNode | undefined {
  return cluster.nodes('master').find((node) => addressOf(node) === address);
}

export function addressOf({ options: { host, port } }: Pick<ClusterNode, 'options'>): string {
  return `${host}:${port}`;
}

export function isConnected(cluster: ClusterView, address: string): boolean {
  return nodeAt(cluster, address)?.status === 'ready';
}
