import type { NatsConnection } from '@nats-io/transport-node';
import type { Logger } from '@sluice/service';
import type { Bus } from './bus.ts';

/** What the bus passes to its JetStream classes, which need the connection of the client. */
export interface JetStreamContext {
  readonly bus: Bus;
  readonly connection: NatsConnection;
  /** Prefix of the reply subjects. */
  readonly inbox: string;
  readonly logger: Logger;
}
