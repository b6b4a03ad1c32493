import { randomUUID } from 'node:crypto';
import { rpcServerTls, serveQuota } from '@sluice/rpc';
import {
  type RunningService,
  count,
  initCounters,
  observe,
  type Logger,
  withTimeout,
} from '@sluice/service';
import type { QuotaSettings } from './config.ts';
import { AdmissionQueue } from './limiter/admission-queue.ts';
import type { StoreHealth } from './limiter/limit-store.ts';
import { ClusterHealth } from './redis/cluster-health.ts';
import { connectRedis } from './redis/connect-redis.ts';
import { isCluster } from './redis/redis-client.ts';
import { RedisLimitStore } from './redis/redis-limit-store.ts';
import { redisSettings } from './redis/redis-settings.ts';
import { SingleServerHealth } from './redis/single-server-health.ts';
import { probeStore, warnOfEviction } from './redis/startup-checks.ts';
import { storeFailure } from './redis/store-errors.ts';
import { quotaHandlers } from './rpc/quota-handlers.ts';

export interface RunningQuota extends RunningService {
  /** host:port of the gRPC server. */
  readonly address: string;
}

const ABOUT_KEY = { about: 'key' } as const;
const ABOUT_STORE = { about: 'store' } as const;
const DECISION_OUTCOMES = ['admitted', 'refused', 'unavailable'] as const;
/** How long the start waits for the store. After this time the service starts without it. */
const FIRST_CONTACT_MS = 2_000;

export async function start(settings: QuotaSettings, logger: Logger): Promise<RunningQuota> {
  const tls = rpcServerTls(settings);
  await using starting = new AsyncDisposableStack();
  const connection = starting.use(connectRedis(redisSettings(settings), logger));
  const { redis } = connection;
  const store = new RedisLimitStore({ redis, keyPrefix: settings.REDIS_KEY_PREFIX });
  const deadlineMs = settings.REDIS_DEADLINE_MS;
  const clock = () => performance.now();
  const firstContact = Promise.withResolvers<void>();
  let reached = false;
  const healthOptions = {
    probe: (organization = `probe-${randomUUID()}`) =>
      probeStore({ redis, store, deadlineMs, organization }),
    onAnswers: () => {
      reached = true;
      if (health.state === 'closed') firstContact.resolve();
    },
    logger,
  };
  const health: StoreHealth = starting.use(
    isCluster(redis)
      ? new ClusterHealth({
          ...healthOptions,
          cluster: redis,
          keyOf: (organization) => store.keyOf(organization),
        })
      : new SingleServerHealth({ ...healthOptions, connection }),
  );
  redis.on('ready', () => {
    queue.resume();
    void warnOfEviction(redis, logger);
  });
  const queue = new AdmissionQueue({
    store,
    deadlineMs,
    clock,
    onAnswered: (organization) => health.answered(organization),
    onFailed: (organization, reason) => {
      const { aboutKey } = storeFailure(reason);
      count('sluice.quota.store.failures', aboutKey ? ABOUT_KEY : ABOUT_STORE);
      health.failed(organization, reason);
    },
  });
  initCounters('sluice.quota.store.failures', [ABOUT_KEY, ABOUT_STORE]);
  observe('sluice.quota.decisions', () =>
    DECISION_OUTCOMES.map((outcome) => [queue.decided[outcome], { outcome }]),
  );
  // `health.state` alone is not enough: it changes only with requests, and there may be none while the connection is
  // lost.
  const usable = () => health.state === 'closed' && connection.usable;
  observe('sluice.quota.store.usable', () => (usable() ? 1 : 0));
  observe('sluice.quota.unanswered', () => queue.unanswered);
  // Wait briefly for the store, so that the first requests are decided. Until it is reached, they are `unavailable`.
  await withTimeout(FIRST_CONTACT_MS, firstContact.promise);
  const server = starting.use(
    await serveQuota({
      host: settings.HOST,
      port: settings.PORT,
      tls,
      handlers: quotaHandlers({ queue, health }),
      logger,
    }),
  );
  logger.info({ address: server.address }, 'serving quota');
  const running = starting.move();
  return {
    address: server.address,
    readiness: () => ({
      // Stays ready if the store is lost later, because `unavailable` is then the right answer.
      ready: reached,
      details: {
        redis: redis.status,
        breaker: health.state,
        silent: health.silent,
        unanswered: queue.unanswered,
        grpc: server.address,
      },
    }),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
