import type { NatsConnection, Status } from '@nats-io/transport-node';
import { createLogger } from '@sluice/service';
import { expect, test } from 'vitest';
import { BusPayloadTooLargeError } from './bus-errors.ts';
import { NatsBus } from './nats-bus.ts';

test.each([
  ['more', 2_000, true],
  ['less', 500, false],
])(
  'after a reconnection, the limit of the server applies: it accepts %s',
  async (_, maxPayload, takesMore) => {
    const { promise: lost, resolve: lose } = Promise.withResolvers<void>();
    const published: string[] = [];
    const connection = {
      info: { max_payload: 1_000 },
      async *status(): AsyncGenerator<Status> {
        await lost;
        yield { type: 'disconnect', server: 'before' };
        connection.info = { max_payload: maxPayload };
        yield { type: 'reconnect', server: 'after' };
      },
      publish: (subject: string) => void published.push(subject),
      flush: () => Promise.resolve(),
      close: () => Promise.resolve(),
    };
    const logger = createLogger({ service: 'test', level: 'silent' });
    await using bus = new NatsBus(connection as unknown as NatsConnection, { logger });
    bus.publish('before', new Uint8Array(1_000));
    const back = new Promise<void>((resolve) => bus.onReconnect(resolve));
    lose();
    await back;
    expect(bus.maxPayload).toBe(maxPayload);
    const publishMore = () => bus.publish('after', new Uint8Array(1_500));
    if (takesMore) publishMore();
    else expect(publishMore).toThrow(BusPayloadTooLargeError);
    expect(published).toEqual(takesMore ? ['before', 'after'] : ['before']);
  },
);
