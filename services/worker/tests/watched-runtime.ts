import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from '@sluice/telemetry';
import type { RuntimeKind } from '../src/dialect/dialect.ts';
import { RuntimeClient } from '../src/runtime/runtime-client.ts';
import { RuntimeWatch } from '../src/runtime/runtime-watch.ts';
import { silentLogger } from './gateway-double.ts';

export interface WatchedOptions {
  readonly logger?: Logger;
  readonly onChange?: () => void;
  readonly onLook?: () => void;
}

/** Watches a runtime that answers like this, for as long as it is used. */
export async function watched<Result>(
  answer: RequestListener,
  kind: RuntimeKind | 'auto',
  use: (watch: RuntimeWatch) => Promise<Result>,
  { logger = silentLogger, onChange = () => undefined, onLook }: WatchedOptions = {},
): Promise<Result> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    await using client = new RuntimeClient({ url, apiKey: undefined, connections: 2 });
    using watch = new RuntimeWatch({
      client,
      kind,
      logger,
      onChange,
      ...(onLook === undefined ? {} : { onLook }),
    });
    return await use(watch);
  } finally {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
}
