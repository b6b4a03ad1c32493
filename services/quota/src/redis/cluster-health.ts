import { randomUUID } from 'node:crypto';
import type { Logger } from '@sluice/service';
import type { BreakerState } from '../limiter/breaker.ts';
import type { StoreHealth } from '../limiter/limit-store.ts';
import {
  addressOf,
  isConnected,
  mastersOf,
  nodeAt,
  type ClusterView,
  slotOfKey,
} from './cluster-map.ts';
import { RedisServerHealth } from './redis-server-health.ts';
import { FailureLog, storeFailure } from './store-errors.ts';

export interface ClusterHealthOptions {
  readonly cluster: WatchedCluster;
  readonly keyOf: (organization: string) => string;
  /** Resolves if the master of this organization decides and writes. */
  readonly probe: (organization: string) => Promise<void>;
  /** Called whenever a master starts to answer. */
  readonly onAnswers: () => void;
  readonly logger: Logger;
}

export interface WatchedCluster extends ClusterView {
  on(event: 'ready' | 'refresh', listener: () => void): unknown;
  on(event: '+node', listener: (node: ConnectingNode) => void): unknown;
  /** Reads the slot table from a node that answers. */
  refreshSlotsCache(): void;
}

type ConnectingNode = Parameters<typeof addressOf>[0] & {
  on(event: 'ready', listener: () => void): unknown;
};

/**
 * How many names are tried to find a key of a master. If the master has a single slot, a random key is in it with
 * probability 1/16384, so this many names are almost certainly enough.
 */
const MAX_NAMES_TRIED = 131_072;

const MESSAGES = {
  closed: 'a master of the cluster answers',
  open: 'a master of the cluster does not answer: admissions of its organizations are unavailable',
};

/**
 * Each master of a cluster has its own health, for the organizations in its slots. The slot table of the client
 * assigns organizations to masters; it follows failovers and moved slots.
 */
export class ClusterHealth implements StoreHealth {
  readonly #options: ClusterHealthOptions;
  readonly #cluster: WatchedCluster;
  readonly #masters = new Map<string, RedisServerHealth>();
  /** For failures that cannot be attributed to a master. */
  readonly #failures: FailureLog;
  /** Whether every slot has a master. */
  #isCovered = true;
  #isDisposed = false;

  constructor(options: ClusterHealthOptions) {
    this.#options = options;
    this.#cluster = options.cluster;
    this.#failures = new FailureLog(options.logger);
    this.#cluster.on('refresh', () => this.#follow());
    this.#cluster.on('ready', () => {
      for (const master of this.#masters.values()) master.probe();
    });
    this.#cluster.on('+node', (node) => {
      node.on('ready', () => this.#masters.get(addressOf(node))?.probe());
    });
  }

  get state(): BreakerState {
    const isComplete = this.#masters.size > 0 && this.#isCovered && this.silent.length === 0;
    return isComplete ? 'closed' : 'open';
  }

  get silent(): readonly string[] {
    const masters = [...this.#masters].filter(([, { state }]) => state === 'open');
    return masters.map(([address]) => address);
  }

  answersFor(organization: string): boolean {
    return this.#masterOf(organization)?.state === 'closed';
  }

  answered(organization: string): void {
    this.#masterOf(organization)?.answered();
  }

  failed(organization: string, reason: unknown): void {
    const address = this.#addressFor(organization);
    if (address === undefined || this.#wasOtherNode(address, reason)) this.#failures.add(reason);
    else this.#masterAt(address)?.failed(reason);
  }

  /**
   * Whether the failure came from another node than the master. A command for a slot that is moving may be sent to the
   * slot's new node. If the connection to the new node is lost, the master still works.
   */
  #wasOtherNode(address: string, reason: unknown): boolean {
    return storeFailure(reason).reason === 'connection' && isConnected(this.#cluster, address);
  }

  #addressFor(organization: string): string | undefined {
    return this.#cluster.slots[slotOfKey(this.#options.keyOf(organization))]?.[0];
  }

  #masterOf(organization: string): RedisServerHealth | undefined {
    const address = this.#addressFor(organization);
    return address === undefined ? undefined : this.#masterAt(address);
  }

  /** Adds the master if it is new. A redirection can change the slot table before the next refresh. */
  #masterAt(address: string): RedisServerHealth | undefined {
    return this.#masters.get(address) ?? this.#add(address);
  }

  #add(address: string): RedisServerHealth | undefined {
    if (this.#isDisposed) return undefined;
    const master = new RedisServerHealth({
      // A promoted replica is already connected and can decide at once.
      state: isConnected(this.#cluster, address) ? 'closed' : 'open',
      // A frozen master does not redirect to its successor. Only the other nodes know that it was replaced.
      beforeProbe: () => this.#cluster.refreshSlotsCache(),
      isReachable: () => this.#isReachable(address),
      probe: () => this.#probe(address),
      messages: MESSAGES,
      onAnswers: this.#options.onAnswers,
      logger: this.#options.logger.child({ node: address }),
    });
    this.#masters.set(address, master);
    return master;
  }

  #isReachable(address: string): boolean {
    // After a redirection, a master may have no slots left, but it is removed only by the next refresh.
    if (!mastersOf(this.#cluster).has(address)) return false;
    // A master without a connection counts as reachable: other nodes redirect to it, and the client then reconnects.
    const { status } = nodeAt(this.#cluster, address) ?? { status: 'ready' };
    return this.#cluster.status === 'ready' && status === 'ready';
  }

  async #probe(address: string): Promise<void> {
    const organization = this.#organizationAt(address);
    // No key was found, because the master has very few slots or none.
    if (organization === undefined) return;
    await this.#options.probe(organization);
    // If the slot has moved, the probe was redirected to another master.
    if (this.#addressFor(organization) !== address) throw new Error('another master answered');
  }

  #organizationAt(address: string): string | undefined {
    const name = `probe-${randomUUID()}`;
    for (let number = 0; number < MAX_NAMES_TRIED; number += 1) {
      const organization = `${name}-${number}`;
      if (this.#addressFor(organization) === address) return organization;
    }
    return undefined;
  }

  #follow(): void {
    const addresses = mastersOf(this.#cluster);
    this.#setCovered(!addresses.delete(undefined));
    for (const address of addresses) if (address !== undefined) this.#masterAt(address);
    for (const [address, master] of this.#masters) {
      if (!addresses.has(address)) this.#forget(address, master);
    }
  }

  #forget(address: string, master: RedisServerHealth): void {
    master[Symbol.dispose]();
    this.#masters.delete(address);
    if (master.state === 'closed') return;
    this.#options.logger.info({ node: address }, 'a master that did not answer was replaced');
  }

  #setCovered(isCovered: boolean): void {
    if (isCovered === this.#isCovered) return;
    this.#isCovered = isCovered;
    if (isCovered) this.#options.logger.info('every slot of the cluster has a master');
    else {
      this.#options.logger.error(
        'slots of the cluster have no master: admissions of their organizations are unavailable',
      );
    }
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    for (const master of this.#masters.values()) master[Symbol.dispose]();
    this.#masters.clear();
  }
}
