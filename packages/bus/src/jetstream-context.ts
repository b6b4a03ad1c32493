import type { NatsConnection } from '@nats-io/transport-node';
import type { Logger } from '@sluice/telemetry';
import type { Bus } from './bus.ts';

/** What is kept in streams needs the client's own connection too: only the bus has it to give. */
export interface JetStreamSurroundings {
  readonly bus: Bus;
  readonly connection: NatsConnection;
  /** What the subjects of answers begin with. */
  readonly inbox: string;
  readonly logger: Logger;
}
