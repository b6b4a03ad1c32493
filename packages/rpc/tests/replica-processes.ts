import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { AdmissionRequest } from '@sluice/contracts';

interface Message {
  readonly address?: string;
  readonly organization?: string;
  readonly storeIsAway?: boolean;
}

export interface ReplicaProcess extends AsyncDisposable {
  readonly address: string;
  readonly pid: number;
  /** The organizations of the admissions that it received, in order. */
  readonly received: readonly string[];
  signal(name: NodeJS.Signals): void;
  /** Makes its store unavailable, or available again. Resolves when that is done. */
  changeStore(): Promise<void>;
  /** Resolves when the process has ended. */
  ended(): Promise<void>;
}

export async function startReplica(port = 0): Promise<ReplicaProcess> {
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
    pid: child.pid ?? 0,
    received,
    signal: (name) => void child.kill(name),
    changeStore: async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const noticed = ({ storeIsAway }: Message) => {
        if (storeIsAway !== undefined) resolve();
      };
      child.on('message', noticed);
      child.kill('SIGUSR2');
      await promise;
      child.off('message', noticed);
    },
    ended: async () => void (await exit),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await exit;
    },
  };
}

export function admission(organization: string, tokens = 1): AdmissionRequest {
  const limits = {
    requests_per_minute: null,
    requests_per_day: null,
    tokens_per_minute: null,
    tokens_per_day: null,
  };
  return { organization, limits, revision: { epoch: 1, sequence: 1 }, requests: 1, tokens };
}
