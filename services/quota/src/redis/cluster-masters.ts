import type { Cluster } from 'ioredis';
import { SLOTS } from './key-slot.ts';

/** What is looked at of the client of a cluster. */
export interface ClusterView {
  readonly status: string;
  /** Of each slot the addresses of its nodes, its master first. */
  readonly slots: readonly (readonly string[] | undefined)[];
  nodes(role: 'master'): readonly ClusterNode[];
}

export type ClusterNode = Pick<ReturnType<Cluster['nodes']>[number], 'status' | 'options'>;

/** The masters that slots are kept by, and undefined where some slot has none. */
export function mastersOf({ slots }: ClusterView): Set<string | undefined> {
  const masters = new Set<string | undefined>();
  let last: string | undefined;
  for (let slot = 0; slot < SLOTS; slot += 1) {
    const master = slots[slot]?.[0];
    // They come in long stretches.
    if (slot > 0 && master === last) continue;
    masters.add(master);
    last = master;
  }
  return masters;
}

/** The connection to a master; none after it was lost, until somebody wants it. */
export function nodeAt(cluster: ClusterView, address: string): ClusterNode | undefined {
  return cluster.nodes('master').find((node) => addressOf(node) === address);
}

export function addressOf({ options: { host, port } }: Pick<ClusterNode, 'options'>): string {
  return `${host}:${port}`;
}

export function isConnected(cluster: ClusterView, address: string): boolean {
  return nodeAt(cluster, address)?.status === 'ready';
}
