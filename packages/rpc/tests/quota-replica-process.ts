import { serveQuota, type QuotaServerOptions } from '@sluice/rpc';
import { createLogger } from '@sluice/service';

/** A quota replica in its own process, to be frozen and killed. It admits everything and reports each admission. */

/** SIGUSR2 makes its store unavailable, or available again. */
let storeIsAway = false;
process.on('SIGUSR2', () => {
  storeIsAway = !storeIsAway;
  process.send?.({ storeIsAway });
});

const handlers: QuotaServerOptions['handlers'] = {
  admit: async ({ organization, tokens }) => {
    process.send?.({ organization });
    // A test uses this cost to get no answer.
    if (tokens === 404) return new Promise(() => undefined);
    if (storeIsAway) return { outcome: 'unavailable' };
    const windows = {
      requests_per_minute: null,
      requests_per_day: null,
      tokens_per_minute: null,
      tokens_per_day: null,
    };
    return { outcome: 'admitted', windows, decidedAtMs: process.pid };
  },
  peek: async () => ({ outcome: 'unavailable' }),
};

const server = await serveQuota({
  host: '127.0.0.1',
  port: Number(process.argv[2]),
  handlers,
  logger: createLogger({ service: 'replica', level: 'silent' }),
});
process.send?.({ address: server.address });
process.once('SIGTERM', () => {
  void server[Symbol.asyncDispose]().then(() => process.exit(0));
});
