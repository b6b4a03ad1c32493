import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { Client, connectivityState } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { knock } from './knock.ts';
import { ReplicaSet } from './replica-set.ts';

/** As gRPC is while nothing comes back from the other side: it connects, and says nothing. */
class ConnectingClient extends Client {
  override getChannel() {
    const channel = super.getChannel();
    channel.getConnectivityState = () => connectivityState.CONNECTING;
    channel.watchConnectivityState = () => undefined;
    return channel;
  }
}

describe('a replica that is not reached', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('is called anew as soon as somebody opens, however long nobody did', async () => {
    let isThere = false;
    const knocks: string[] = [];
    using replicas = new ReplicaSet({
      addresses: ['quota.internal:50051'],
      clientClass: ConnectingClient,
      tls: undefined,
      knock: async (address) => {
        knocks.push(address);
        return isThere;
      },
    });
    const [replica] = replicas.replicas;
    const first = replica?.client;
    await vi.advanceTimersByTimeAsync(600_000);
    expect(replica?.client).toBe(first);
    expect(new Set(knocks)).toEqual(new Set(['quota.internal:50051']));
    isThere = true;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(replica?.client).not.toBe(first);
  });

  test('and opens, but does not answer, is called ever more seldom', async () => {
    const callsUntil: number[] = [];
    let calls = 0;
    using _replicas = new ReplicaSet({
      addresses: ['quota.internal:50051'],
      clientClass: class extends ConnectingClient {
        constructor(...options: ConstructorParameters<typeof Client>) {
          super(...options);
          calls += 1;
        }
      },
      tls: undefined,
      knock: async () => true,
    });
    for (let minute = 0; minute < 3; minute += 1) {
      await vi.advanceTimersByTimeAsync(60_000);
      callsUntil.push(calls);
    }
    expect(callsUntil).toEqual([4, 5, 6]);
  });
});

describe('a knock', () => {
  test('is heard where somebody takes connections, and by nobody else', async () => {
    const server = createServer((socket) => void socket.resume()).listen(0, '::1');
    await once(server, 'listening');
    const address = `[::1]:${(server.address() as AddressInfo).port}`;
    expect(await knock(address, AbortSignal.timeout(5_000))).toBe(true);
    server.close();
    await once(server, 'close');
    expect(await knock(address, AbortSignal.timeout(5_000))).toBe(false);
  });

  test('is given up at its signal', async () => {
    expect(await knock('127.0.0.1:1', AbortSignal.abort())).toBe(false);
  });
});
