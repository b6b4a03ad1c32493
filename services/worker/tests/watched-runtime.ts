import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RuntimeLoad } from '@sluice/contracts';
import type { Logger } from '@sluice/service';
import type { RuntimeKind } from '../src/dialects/dialect.ts';
import { RuntimeClient } from '../src/runtime/runtime-client.ts';
import { RuntimeSupervisor } from '../src/runtime/runtime-supervisor.ts';
import { Slots } from '../src/schedule/slots.ts';
import { silentLogger } from './gateway-double.ts';

export interface WatchedOptions {
  readonly logger?: Logger;
  readonly onChange?: () => void;
  readonly onProbe?: () => void;
}

/** Slots that report each probe of the runtime. */
class ObservedSlots extends Slots {
  readonly #onProbe: () => void;

  constructor(onProbe: () => void) {
    super({ shared: false, canWait: true });
    this.#onProbe = onProbe;
  }

  override observe(load: RuntimeLoad | undefined): void {
    super.observe(load);
    this.#onProbe();
  }
}

/** Starts a runtime with these answers and a supervisor of it, and stops both when `use` has ended. */
export async function watched<Result>(
  answer: RequestListener,
  kind: RuntimeKind | 'auto',
  use: (supervisor: RuntimeSupervisor) => Promise<Result>,
  {
    logger = silentLogger,
    onChange = () => undefined,
    onProbe = () => undefined,
  }: WatchedOptions = {},
): Promise<Result> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    await using client = new RuntimeClient({ url, apiKey: undefined, connections: 2 });
    const slots = new ObservedSlots(onProbe);
    using supervisor = new RuntimeSupervisor({ client, kind, slots, logger });
    supervisor.start(onChange);
    return await use(supervisor);
  } finally {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
}
