import { fork } from 'node:child_process';
import { once } from 'node:events';
import { serveQuota } from '@sluice/rpc';
import { createLogger } from '@sluice/service';
import { ReplicaHandlers } from './replica-handlers.ts';

export interface Replica extends AsyncDisposable {
  readonly address: string;
  /** `decidedAtMs` of its decisions. */
  readonly id: number;
  /** The organizations of the admissions that it received, in order. */
  readonly received: readonly string[];
}

/** A replica in the process of the test. */
export interface LocalReplica extends Replica {
  /** Makes its store unavailable, or available again. */
  changeStore(): void;
}

/** A replica in its own process, which takes a second to start. */
export interface ReplicaProcess extends Replica {
  signal(name: NodeJS.Signals): void;
  /** Resolves when the process has ended. */
  ended(): Promise<void>;
}

const logger = createLogger({ service: 'replica', level: 'silent' });
let lastId = 0;

export async function startReplica(): Promise<LocalReplica> {
  lastId += 1;
  const received: string[] = [];
  const handlers = new ReplicaHandlers(lastId, (organization) => received.push(organization));
  const server = await serveQuota({ host: '127.0.0.1', port: 0, handlers, logger });
  return {
    address: server.address,
    id: lastId,
    received,
    changeStore: () => {
      handlers.storeIsAway = !handlers.storeIsAway;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

interface Message {
  readonly address?: string;
  readonly organization?: string;
}

export async function startReplicaProcess(port = 0): Promise<ReplicaProcess> {
  const child = fork(new URL('quota-replica-process.ts', import.meta.url), [String(port)]);
  const received: string[] = [];
  const listening = Promise.withResolvers<string>();
  const exit = once(child, 'exit');
  child.on('message', ({ address, organization }: Message) => {
    if (address !== undefined) listening.resolve(address);
    if (organization !== undefined) received.push(organization);
  });
  child.once('exit', () => listening.reject(new Error('the replica ended')));
  const address = await listening.promise;
  return {
    address,
    id: child.pid ?? 0,
    received,
    signal: (name) => void child.kill(name),
    ended: async () => void (await exit),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await exit;
    },
  };
}
