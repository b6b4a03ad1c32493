import { EventEmitter } from 'node:events';
import { createLogger } from '@sluice/service';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ClusterHealth } from './cluster-health.ts';
import { SLOTS, slotOfKey } from './cluster-map.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface FakeNode extends EventEmitter {
  status: 'ready' | 'connecting';
  readonly options: { readonly host: string; readonly port: number };
}

/** A double of the ioredis cluster client: its slot table, its connections and their events. */
class FakeCluster extends EventEmitter {
  status = 'ready';
  readonly slots: (readonly string[] | undefined)[] = [];
  readonly #nodes = new Map<number, FakeNode>();
  reads = 0;

  refreshSlotsCache(): void {
    this.reads += 1;
  }

  nodes(): FakeNode[] {
    return [...this.#nodes.values()];
  }

  /** A node that is connected, or about to be. */
  meet(port: number, status: FakeNode['status'] = 'ready'): void {
    const node = Object.assign(new EventEmitter(), { status, options: { host: 'redis', port } });
    this.#nodes.set(port, node);
    this.emit('+node', node);
  }

  connect(port: number): void {
    const node = this.#nodes.get(port);
    if (node === undefined) throw new Error('no such node');
    node.status = 'ready';
    node.emit('ready');
  }

  lose(port: number): void {
    this.#nodes.delete(port);
  }

  /** Distributes the slots evenly to these addresses; undefined leaves slots without a master. */
  divide(...ports: (number | undefined)[]): void {
    for (let slot = 0; slot < SLOTS; slot += 1) {
      const port = ports[Math.floor((slot * ports.length) / SLOTS)];
      this.slots[slot] = port === undefined ? undefined : [`redis:${port}`];
    }
    this.emit('refresh');
  }
}

const keyOf = (organization: string) => `limits:{${organization}}`;
const lost = () => new Error('Connection is closed.');
const refused = () => Object.assign(new Error('OOM no memory'), { name: 'ReplyError' });

let cluster: FakeCluster;
let health: ClusterHealth;
let logged: string[];
let probed: string[];
/** Masters that answer a probe. */
let alive: Set<string>;
/** The master to which a probe is redirected. */
let redirect: string | undefined;
let answers: number;

beforeEach(() => {
  cluster = new FakeCluster();
  logged = [];
  probed = [];
  alive = new Set(['redis:1', 'redis:2', 'redis:3']);
  redirect = undefined;
  answers = 0;
  const write = (line: string) => {
    const { msg, node } = JSON.parse(line) as { msg: string; node?: string };
    logged.push(node === undefined ? msg : `${node}: ${msg}`);
  };
  health = new ClusterHealth({
    cluster,
    keyOf,
    probe: async (organization) => {
      const master = cluster.slots[slotOfKey(keyOf(organization))]?.[0] ?? '';
      probed.push(master);
      if (redirect !== undefined) {
        cluster.slots[slotOfKey(keyOf(organization))] = [redirect];
        return;
      }
      if (!alive.has(master)) throw lost();
    },
    onAnswers: () => (answers += 1),
    logger: createLogger({ service: 'quota', level: 'info', destination: { write } }),
  });
});
afterEach(() => health[Symbol.dispose]());

/** Finds an organization of a master. */
function organizationOf(port: number): string {
  for (let number = 0; ; number += 1) {
    const master = cluster.slots[slotOfKey(keyOf(`organization-${number}`))]?.[0];
    if (master === `redis:${port}`) return `organization-${number}`;
  }
}

function meetThree(): void {
  for (const port of [1, 2, 3]) cluster.meet(port);
  cluster.divide(1, 2, 3);
}

/** Reports failures until the breaker of the master opens. */
function giveUp(port: number): void {
  alive.delete(`redis:${port}`);
  cluster.lose(port);
  for (let failure = 0; failure < 5; failure += 1) health.failed(organizationOf(port), lost());
}

describe('the health of a cluster', () => {
  it('is separate for each master and the organizations in its slots', async () => {
    meetThree();
    giveUp(2);
    expect([1, 2, 3].map((port) => health.answersFor(organizationOf(port)))).toStrictEqual([
      true,
      false,
      true,
    ]);
    expect(health).toMatchObject({ state: 'open', silent: ['redis:2'] });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(probed).toStrictEqual(['redis:2', 'redis:2', 'redis:2', 'redis:2']);
    expect(cluster.reads).toBe(4);
    alive.add('redis:2');
    await vi.advanceTimersByTimeAsync(250);
    expect(health.answersFor(organizationOf(2))).toBe(true);
    expect(health).toMatchObject({ state: 'closed', silent: [] });
  });

  it('logs which master does not answer', async () => {
    meetThree();
    giveUp(2);
    alive.add('redis:2');
    await vi.advanceTimersByTimeAsync(250);
    expect(logged).toStrictEqual([
      'redis:2: the store failed',
      'redis:2: a master of the cluster does not answer: admissions of its organizations are unavailable',
      'redis:2: a master of the cluster answers',
    ]);
  });

  it('does not count the answers of one master for another', () => {
    meetThree();
    for (let failure = 0; failure < 5; failure += 1) {
      health.failed(organizationOf(1), refused());
      health.answered(organizationOf(2));
    }
    expect(health.silent).toStrictEqual(['redis:1']);
  });

  it('is open until a master is connected and answers', async () => {
    cluster.status = 'connecting';
    for (const port of [1, 2]) cluster.meet(port, 'connecting');
    expect(health.answersFor('early')).toBe(false);
    cluster.divide(1, 2);
    cluster.status = 'ready';
    cluster.emit('ready');
    await vi.advanceTimersByTimeAsync(250);
    expect(probed).toStrictEqual([]);
    expect(health).toMatchObject({ state: 'open', silent: ['redis:1', 'redis:2'] });
    cluster.connect(1);
    await vi.advanceTimersByTimeAsync(0);
    expect(health.answersFor(organizationOf(1))).toBe(true);
    expect(health.answersFor(organizationOf(2))).toBe(false);
    cluster.connect(2);
    await vi.advanceTimersByTimeAsync(0);
    expect(health.state).toBe('closed');
    expect(answers).toBe(2);
  });

  it('follows a failover at once, and removes the old master', async () => {
    meetThree();
    giveUp(2);
    cluster.meet(4);
    cluster.divide(1, 4, 3);
    expect(health).toMatchObject({ state: 'closed', silent: [] });
    expect(health.answersFor(organizationOf(4))).toBe(true);
    expect(logged.at(-1)).toBe('redis:2: a master that did not answer was replaced');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(probed).toStrictEqual([]);
  });

  it('does not count the answer of a new master for the old one', async () => {
    meetThree();
    cluster.meet(4);
    giveUp(2);
    redirect = 'redis:4';
    await vi.advanceTimersByTimeAsync(250);
    expect(probed).toStrictEqual(['redis:2']);
    expect(health.silent).toStrictEqual(['redis:2']);
  });

  it('does not probe a master that has no slots left', async () => {
    meetThree();
    giveUp(2);
    for (let slot = 0; slot < SLOTS; slot += 1) cluster.slots[slot] = ['redis:1'];
    await vi.advanceTimersByTimeAsync(250);
    expect(probed).toStrictEqual([]);
    expect(health.silent).toStrictEqual(['redis:2']);
  });

  it('follows a redirection before the slot table is refreshed', () => {
    meetThree();
    cluster.meet(4);
    const organization = organizationOf(1);
    cluster.slots[slotOfKey(keyOf(organization))] = ['redis:4'];
    expect(health.answersFor(organization)).toBe(true);
    for (let failure = 0; failure < 5; failure += 1) health.failed(organization, refused());
    expect(health.answersFor(organization)).toBe(false);
    expect(health.answersFor(organizationOf(1))).toBe(true);
  });

  it('does not count a lost connection against a master that is still connected', () => {
    meetThree();
    const organization = organizationOf(1);
    for (let failure = 0; failure < 9; failure += 1) health.failed(organization, lost());
    expect(health.answersFor(organization)).toBe(true);
    expect(logged).toStrictEqual(['the store failed']);
  });

  it('is open for slots without a master, and logs this once', () => {
    for (const port of [1, 2]) cluster.meet(port);
    cluster.divide(1, 2);
    const organization = organizationOf(2);
    cluster.divide(1, undefined);
    cluster.divide(1, undefined);
    expect(health.answersFor(organization)).toBe(false);
    expect(health.answersFor(organizationOf(1))).toBe(true);
    expect(health.state).toBe('open');
    cluster.divide(1, 2);
    expect(health.state).toBe('closed');
    expect(logged).toStrictEqual([
      'slots of the cluster have no master: admissions of their organizations are unavailable',
      'every slot of the cluster has a master',
    ]);
  });

  it('is closed for a master for which no key can be found', async () => {
    for (const port of [1, 2]) cluster.meet(port, 'connecting');
    cluster.divide(1, 2);
    health[Symbol.dispose]();
    health = new ClusterHealth({
      cluster,
      keyOf: (organization) => `{one}:{${organization}}`,
      probe: () => Promise.resolve(),
      onAnswers: () => undefined,
      logger: createLogger({ service: 'quota', level: 'silent' }),
    });
    cluster.emit('refresh');
    for (const port of [1, 2]) {
      cluster.meet(port);
      cluster.connect(port);
    }
    await vi.advanceTimersByTimeAsync(0);
    expect(health.state).toBe('closed');
  });

  it('adds no master after it is disposed', () => {
    meetThree();
    const organization = organizationOf(1);
    health[Symbol.dispose]();
    for (let failure = 0; failure < 5; failure += 1) health.failed(organization, refused());
    expect(health.answersFor(organization)).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });
});
