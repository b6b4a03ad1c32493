import { waitUntil } from '@sluice/devkit';
import { ask, startRedisProcess, type RedisProcess } from './redis-processes.ts';

export interface RedisCluster extends AsyncDisposable {
  readonly masters: readonly RedisProcess[];
  /** The replica of each master, in the same order. Empty unless requested. */
  readonly replicas: readonly RedisProcess[];
  /** Resolves when every node reports that all slots are served. */
  whole(): Promise<void>;
  /** Changes a setting of every node. */
  configure(setting: string, value: string): Promise<void>;
  /** The master that had this slot at the start. */
  masterOf(slot: number): RedisProcess | undefined;
}

const SLOTS = 16_384;
const MASTERS = 3;

/** A real cluster of three masters, with a replica of each if requested. */
export async function startRedisCluster({ replicated = false } = {}): Promise<RedisCluster> {
  await using started = new AsyncDisposableStack();
  const settings = ['cluster-enabled yes', 'cluster-node-timeout 500'];
  const nodes: RedisProcess[] = [];
  for (let index = 0; index < (replicated ? 2 * MASTERS : MASTERS); index += 1) {
    nodes.push(started.use(await startRedisProcess({ settings })));
  }
  const masters = nodes.slice(0, MASTERS);
  const replicas = nodes.slice(MASTERS);
  const [first] = masters;
  if (first === undefined) throw new Error('a cluster has a first node');
  for (const [index, { port }] of masters.entries()) {
    const from = firstSlotOf(index);
    const to = firstSlotOf(index + 1) - 1;
    await ask(port, 'cluster', 'addslotsrange', String(from), String(to));
    await ask(port, 'cluster', 'set-config-epoch', String(index + 1));
  }
  for (const { port } of nodes.slice(1)) {
    await ask(port, 'cluster', 'meet', '127.0.0.1', String(first.port));
  }
  await everyNodeSees(nodes, `cluster_known_nodes:${nodes.length}`);
  for (const [index, { port }] of replicas.entries()) {
    const master = masters[index];
    if (master === undefined) throw new Error('a replica has a master');
    const id = String(await ask(master.port, 'cluster', 'myid'));
    await waitUntil(() => ask(port, 'cluster', 'replicate', id), { what: 'a replica to be made' });
    await waitUntil(
      async () => String(await ask(port, 'info', 'replication')).includes('link_status:up'),
      { what: 'a replica to follow its master' },
    );
  }
  await everyNodeSees(nodes, 'cluster_state:ok');
  const owned = started.move();
  return {
    masters,
    replicas,
    whole: () => everyNodeSees(nodes, 'cluster_state:ok'),
    configure: async (setting, value) => {
      await Promise.all(nodes.map(({ port }) => ask(port, 'config', 'set', setting, value)));
    },
    masterOf: (slot) => masters.findLast((_, index) => firstSlotOf(index) <= slot),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The slots are distributed evenly to the masters, in order. */
function firstSlotOf(master: number): number {
  return Math.floor((master * SLOTS) / MASTERS);
}

async function everyNodeSees(nodes: readonly RedisProcess[], line: string): Promise<void> {
  for (const { port } of nodes) {
    await waitUntil(async () => String(await ask(port, 'cluster', 'info')).includes(line), {
      what: `the cluster node on port ${port} to say ${line}`,
      timeoutMs: 20_000,
    });
  }
}
