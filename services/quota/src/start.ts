import { randomUUID } from 'node:crypto';
import type { RunningService } from '@sluice/host';
import { rpcServerTls, serveQuota } from '@sluice/rpc';
import { count, observe, startAtZero, type Logger } from '@sluice/telemetry';
import { atMost } from '@sluice/timing';
import type { QuotaSettings } from './config.ts';
import { AdmissionQueue } from './domain/admission-queue.ts';
import type { StoreHealth } from './domain/store-health.ts';
import { ClusterHealth } from './redis/cluster-health.ts';
import { connectRedis } from './redis/connect-redis.ts';
import { probeLedger } from './redis/probe-ledger.ts';
import { isCluster } from './redis/redis-client.ts';
import { RedisLedger } from './redis/redis-ledger.ts';
import { redisSettings } from './redis/redis-settings.ts';
import { storeFailure } from './redis/store-failure.ts';
import { warnOfEviction } from './redis/warn-of-eviction.ts';
import { WholeStoreHealth } from './redis/whole-store-health.ts';
import { quotaHandlers } from './rpc/quota-handlers.ts';

export interface RunningQuota extends RunningService {
  /** host:port of the gRPC server. */
  readonly address: string;
}

const ABOUT_KEY = { about: 'key' } as const;
const ABOUT_STORE = { about: 'store' } as const;
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
  const firstContact = Promise.withResolvers<void>();
  let reached = false;
  const healthOptions = {
    probe: (organization = `probe-${randomUUID()}`) =>
      probeLedger({ redis, ledger, deadlineMs, organization }),
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
          keyOf: (organization) => ledger.keyOf(organization),
        })
      : new WholeStoreHealth({ ...healthOptions, connection }),
  );
  redis.on('ready', () => {
    queue.resume();
    void warnOfEviction(redis, logger);
  });
  const queue = new AdmissionQueue({
    ledger,
    deadlineMs,
    now,
    onAnswered: (organization) => health.answered(organization),
    onFailed: (organization, reason) => {
      const { aboutKey } = storeFailure(reason);
      count('sluice.quota.store.failures', aboutKey ? ABOUT_KEY : ABOUT_STORE);
      health.failed(organization, reason);
    },
  });
  startAtZero('sluice.quota.store.failures', [ABOUT_KEY, ABOUT_STORE]);
  observe('sluice.quota.decisions', () =>
    DECISION_OUTCOMES.map((outcome) => [queue.decided[outcome], { outcome }]),
  );
  // Its health is learned from requests, of which there may be none while a connection is lost.
  const usable = () => health.state === 'closed' && connection.usable;
  observe('sluice.quota.store.usable', () => (usable() ? 1 : 0));
  observe('sluice.quota.unanswered', () => queue.unanswered);
  // Whoever connects at once gets decisions. Without a store there is still the right answer.
  await atMost(FIRST_CONTACT_MS, firstContact.promise);
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
      // Once is enough: without its store this service still has the right answer, "unavailable".
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
