import { Client, connectivityState } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ReplicaSet } from './replica-set.ts';

const ADDRESS = 'quota.internal:50051';

/** An unreachable replica as gRPC reports it: always CONNECTING. */
class UnreachedReplica implements Disposable {
  isOpen = true;
  /** How often a new client was created. */
  calls = 0;
  readonly knockedAt = new Set<string>();
  readonly #replicas: ReplicaSet<Client>;

  constructor() {
    const called = () => (this.calls += 1);
    this.#replicas = new ReplicaSet({
      addresses: [ADDRESS],
      clientClass: class extends Client {
        constructor(...options: ConstructorParameters<typeof Client>) {
          super(...options);
          called();
        }

        override getChannel() {
          const channel = super.getChannel();
          channel.getConnectivityState = () => connectivityState.CONNECTING;
          channel.watchConnectivityState = () => undefined;
          return channel;
        }
      },
      tls: undefined,
      probeTcp: async (address) => {
        this.knockedAt.add(address);
        return this.isOpen;
      },
    });
  }

  [Symbol.dispose](): void {
    this.#replicas[Symbol.dispose]();
  }
}

describe('a replica that is not reached', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('is connected as soon as its port opens, even after a long time', async () => {
    using replica = new UnreachedReplica();
    replica.isOpen = false;
    await vi.advanceTimersByTimeAsync(600_000);
    expect(replica.calls).toBe(1);
    expect([...replica.knockedAt]).toEqual([ADDRESS]);
    replica.isOpen = true;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(replica.calls).toBe(2);
  });

  test('is tried less and less often while its port is open and it does not answer', async () => {
    using replica = new UnreachedReplica();
    const callsUntil: number[] = [];
    for (let minute = 0; minute < 3; minute += 1) {
      await vi.advanceTimersByTimeAsync(60_000);
      callsUntil.push(replica.calls);
    }
    expect(callsUntil).toEqual([4, 5, 6]);
  });

  test('is tried as soon as at first if its port was closed in the meantime', async () => {
    using replica = new UnreachedReplica();
    await vi.advanceTimersByTimeAsync(180_000);
    replica.isOpen = false;
    await vi.advanceTimersByTimeAsync(600_000);
    const before = replica.calls;
    replica.isOpen = true;
    await vi.advanceTimersByTimeAsync(6_000);
    expect(replica.calls - before).toBe(2);
  });
});
