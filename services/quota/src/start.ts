import type { RunningService } from '@sluice/host';
import { rpcServerTls, serveQuota } from '@sluice/rpc';
import { count, observe, type Logger } from '@sluice/telemetry';
import { atMost } from '@sluice/timing';
import type { QuotaSettings } from './config.ts';
import { AdmissionQueue } from './domain/admission-queue.ts';
import { Breaker } from './domain/breaker.ts';
import { connectRedis } from './redis/connect-redis.ts';
import { FailureLog } from './redis/failure-log.ts';
import { probeLedger } from './redis/probe-ledger.ts';
import { RedisLedger } from './redis/redis-ledger.ts';
import { redisSettings } from './redis/redis-settings.ts';
import { storeFailure } from './redis/store-failure.ts';
import { warnOfEviction } from './redis/warn-of-eviction.ts';
import { quotaHandlers } from './rpc/quota-handlers.ts';

export interface RunningQuota extends RunningService {
  /** host:port of the gRPC server. */
  readonly address: string;
}

const FAILURES_TO_OPEN = 5;
const PROBE_INTERVAL_MS = 250;
const DECISION_OUTCOMES = ['admitted', 'refused', 'unavailable'] as const;
/** How long a start waits for the store before it serves without. */
const FIRST_CONTACT_MS = 2_000;

export async function start(settings: QuotaSettings, logger: Logger): Promise<RunningQuota> {
  const tls = rpcServerTls(settings);
  await using starting = new AsyncDisposableStack();
  const connection = starting.use(connectRedis(redisSettings(settings), logger));
  const { redis } = connection;
  const ledger = new RedisLedger({ redis, keyPrefix: settings.REDIS_KEY_PREFIX });
  const deadlineMs = settings.REDIS_DEADLINE_MS;
  const now = () => performance.now();
  const failures = new FailureLog(logger);
  const firstContact = Promise.withResolvers<void>();
  let reached = false;
  const breaker = starting.use(
    new Breaker({
      failuresToOpen: FAILURES_TO_OPEN,
      probeIntervalMs: PROBE_INTERVAL_MS,
      probe: async () => {
        if (!connection.usable) throw new Error('the store is not connected');
        try {
          await probeLedger({ redis, ledger, deadlineMs });
        } catch (error) {
          failures.add(error);
          throw error;
        }
      },
      onChange: (state) => {
        if (state === 'closed') {
          reached = true;
          failures.recovered();
          firstContact.resolve();
          logger.info('the store answers');
        } else logger.error('the store does not answer: every admission is unavailable');
      },
    }),
  );
  redis.on('ready', () => {
    breaker.probe();
    void warnOfEviction(redis, logger);
  });
  const queue = new AdmissionQueue({
    ledger,
    deadlineMs,
    now,
    onAnswered: () => breaker.succeeded(),
    onFailed: (error) => {
      failures.add(error);
      const { aboutKey } = storeFailure(error);
      count('sluice.quota.store.failures', { about: aboutKey ? 'key' : 'store' });
      // One organization's broken state is no reason to turn everybody away.
      if (!aboutKey) breaker.failed();
    },
  });
  observe('sluice.quota.decisions', () =>
    DECISION_OUTCOMES.map((outcome) => [queue.decided[outcome], { outcome }]),
  );
  // The breaker learns from requests, of which there may be none while the connection is lost.
  const usable = () => breaker.state === 'closed' && connection.usable;
  observe('sluice.quota.store.usable', () => (usable() ? 1 : 0));
  observe('sluice.quota.unanswered', () => queue.unanswered);
  // Whoever connects at once gets decisions. Without a store there is still the right answer.
  await atMost(FIRST_CONTACT_MS, firstContact.promise);
  const server = starting.use(
    await serveQuota({
      host: settings.HOST,
      port: settings.PORT,
      tls,
      handlers: quotaHandlers(queue, breaker),
      logger,
    }),
  );
  logger.info({ address: server.address }, 'serving quota');
  const running = starting.move();
  return {
    address: server.address,
    readiness: () => ({
      // Once is enough: without its store this service still has the right answer, "unavailable".
      ready: reached,
      details: {
        redis: redis.status,
        breaker: breaker.state,
        unanswered: queue.unanswered,
        grpc: server.address,
      },
    }),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
