import { serveQuota } from '@sluice/rpc';
import { createLogger } from '@sluice/service';
import { ReplicaHandlers } from './replica-handlers.ts';

/** A quota replica in its own process, to be frozen and killed. It reports each admission. */

const server = await serveQuota({
  host: '127.0.0.1',
  port: Number(process.argv[2]),
  handlers: new ReplicaHandlers(process.pid, (organization) => process.send?.({ organization })),
  logger: createLogger({ service: 'replica', level: 'silent' }),
});
process.send?.({ address: server.address });
process.once('SIGTERM', () => {
  void server[Symbol.asyncDispose]().then(() => process.exit(0));
});
