import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RuntimeLoad } from '@sluice/contracts';
import type { Logger } from '@sluice/telemetry';
import type { RuntimeKind } from '../src/dialect/dialect.ts';
import { Slots } from '../src/domain/slots.ts';
import { RuntimeClient } from '../src/runtime/runtime-client.ts';
import { RuntimeSupervisor } from '../src/runtime/runtime-supervisor.ts';
import { silentLogger } from './gateway-double.ts';

export interface WatchedOptions {
  readonly logger?: Logger;
  readonly onChange?: () => void;
  readonly onLook?: () => void;
}

/** Tells of each look at the runtime. */
class ObservedSlots extends Slots {
  readonly #onLook: () => void;

  constructor(onLook: () => void) {
    super({ shared: false, canWait: true });
    this.#onLook = onLook;
  }

  override look(load: RuntimeLoad | undefined): void {
    super.look(load);
    this.#onLook();
  }
}

/** Supervises a runtime that answers like this, for as long as it is used. */
export async function watched<Result>(
  answer: RequestListener,
  kind: RuntimeKind | 'auto',
  use: (supervisor: RuntimeSupervisor) => Promise<Result>,
  {
    logger = silentLogger,
    onChange = () => undefined,
    onLook = () => undefined,
  }: WatchedOptions = {},
): Promise<Result> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    await using client = new RuntimeClient({ url, apiKey: undefined, connections: 2 });
    const slots = new ObservedSlots(onLook);
    using supervisor = new RuntimeSupervisor({ client, kind, slots, logger });
    supervisor.start(onChange);
    return await use(supervisor);
  } finally {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
}
