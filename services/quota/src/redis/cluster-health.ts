import { randomUUID } from 'node:crypto';
import type { Logger } from '@sluice/telemetry';
import type { BreakerState } from '../domain/breaker.ts';
import type { StoreHealth } from '../domain/store-health.ts';
import { addressOf, isConnected, mastersOf, nodeAt, type ClusterView } from './cluster-masters.ts';
import { FailureLog } from './failure-log.ts';
import { slotOfKey } from './key-slot.ts';
import { storeFailure } from './store-failure.ts';
import { StoreServer } from './store-server.ts';

export interface ClusterHealthOptions {
  readonly cluster: WatchedCluster;
  readonly keyOf: (organization: string) => string;
  /** Resolves when the limits of such an organization are decided and written. */
  readonly probe: (organization: string) => Promise<void>;
  /** Called for each master that answers, at first or again. */
  readonly onAnswers: () => void;
  readonly logger: Logger;
}

export interface WatchedCluster extends ClusterView {
  on(event: 'ready' | 'refresh', listener: () => void): unknown;
  on(event: '+node', listener: (node: ConnectingNode) => void): unknown;
}

type ConnectingNode = Parameters<typeof addressOf>[0] & {
  on(event: 'ready', listener: () => void): unknown;
};

/** Of a master with a single slot every 16,384th key is one: more than enough to meet it. */
const MOST_NAMES = 131_072;

const SAID = {
  answers: 'a master of the cluster answers',
  isSilent:
    'a master of the cluster does not answer: admissions of its organizations are unavailable',
};

/**
 * Each master of a cluster answers for the organizations in its slots, and for nobody else. Who that is, the table of
 * slots says that the client has at the moment: it follows failovers and slots that are moved.
 */
export class ClusterHealth implements StoreHealth {
  readonly #options: ClusterHealthOptions;
  readonly #cluster: WatchedCluster;
  readonly #masters = new Map<string, StoreServer>();
  /** For what cannot be said to be a master's own. */
  readonly #failures: FailureLog;
  #isCovered = true;
  #isOver = false;

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
    const isWhole = this.#masters.size > 0 && this.#isCovered && this.silent.length === 0;
    return isWhole ? 'closed' : 'open';
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
    if (address === undefined || this.#wasElsewhere(address, reason)) this.#failures.add(reason);
    else this.#masterAt(address)?.failed(reason);
  }

  /** A slot on its way to another node is asked for there: its lost connection says nothing of the master. */
  #wasElsewhere(address: string, reason: unknown): boolean {
    return storeFailure(reason).reason === 'connection' && isConnected(this.#cluster, address);
  }

  #addressFor(organization: string): string | undefined {
    return this.#cluster.slots[slotOfKey(this.#options.keyOf(organization))]?.[0];
  }

  #masterOf(organization: string): StoreServer | undefined {
    const address = this.#addressFor(organization);
    return address === undefined ? undefined : this.#masterAt(address);
  }

  /** A redirection changes the table before the next refresh does. */
  #masterAt(address: string): StoreServer | undefined {
    return this.#masters.get(address) ?? this.#add(address);
  }

  #add(address: string): StoreServer | undefined {
    if (this.#isOver) return undefined;
    const master = new StoreServer({
      // A replica that takes over is connected already, and decides at once.
      state: isConnected(this.#cluster, address) ? 'closed' : 'open',
      isReachable: () => this.#isReachable(address),
      probe: () => this.#probe(address),
      said: SAID,
      onAnswers: this.#options.onAnswers,
      logger: this.#options.logger.child({ node: address }),
    });
    this.#masters.set(address, master);
    return master;
  }

  /**
   * One without a connection is: the others redirect to it, upon which the client connects anew. After a redirection
   * it may have no slots any more, until the next refresh tells.
   */
  #isReachable(address: string): boolean {
    if (!mastersOf(this.#cluster).has(address)) return false;
    const { status } = nodeAt(this.#cluster, address) ?? { status: 'ready' };
    return this.#cluster.status === 'ready' && status === 'ready';
  }

  async #probe(address: string): Promise<void> {
    const organization = this.#someoneAt(address);
    // None of our keys can lie there.
    if (organization === undefined) return;
    await this.#options.probe(organization);
    // Its slots have gone to another meanwhile, which the client has learned by asking.
    if (this.#addressFor(organization) !== address) throw new Error('another master answered');
  }

  #someoneAt(address: string): string | undefined {
    const name = `probe-${randomUUID()}`;
    for (let number = 0; number < MOST_NAMES; number += 1) {
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

  #forget(address: string, master: StoreServer): void {
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
    this.#isOver = true;
    for (const master of this.#masters.values()) master[Symbol.dispose]();
    this.#masters.clear();
  }
}
