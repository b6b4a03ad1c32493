import { busAccess, connectBus } from '@sluice/bus';
import { subjectsUnder } from '@sluice/contracts';
import {
  authenticateByTokens,
  connectCatalogBudgets,
  rpcClientTls,
  rpcServerTls,
  serveUsage,
  type CatalogBudgetsClient,
} from '@sluice/rpc';
import { observe, type Logger, type RunningService } from '@sluice/service';
import { CatalogCopy } from './budgets/catalog-copy.ts';
import { keepBudgets } from './budgets/keep-budgets.ts';
import type { UsageSettings } from './config.ts';
import { LedgerReader } from './ledger/ledger-reader.ts';
import { NO_PRICES } from './ledger/price-list.ts';
import { usageHandlers } from './rpc/usage-handlers.ts';
import { databaseOf } from './store/database-settings.ts';
import { OpeningStore } from './store/opening-store.ts';

export interface UsageOverrides {
  readonly wallClock?: () => number;
  readonly random?: () => number;
  /** How long after its first attempt a webhook is sent again. */
  readonly firstRetryMs?: number;
}

export interface RunningUsage extends RunningService {
  /** host:port of the gRPC server; undefined without admin tokens. */
  readonly address: string | undefined;
}

export async function start(
  settings: UsageSettings,
  logger: Logger,
  { wallClock = Date.now, random = Math.random, firstRetryMs }: UsageOverrides = {},
): Promise<RunningUsage> {
  const tls = rpcServerTls(settings);
  await using starting = new AsyncDisposableStack();
  const opening = starting.use(
    new OpeningStore({
      open: databaseOf(settings, logger),
      retention: { requestDays: settings.REQUEST_DAYS, sumDays: settings.SUM_DAYS },
      logger,
      wallClock,
    }),
  );
  const subjects = subjectsUnder(settings.SUBJECT_PREFIX);
  const inbox = subjects.inbox('usage');
  const bus = starting.use(
    await connectBus({ ...busAccess(settings), name: 'usage', inbox, logger }),
  );
  const client = catalogClient(settings);
  if (client !== undefined) starting.use(client);
  const catalog = client === undefined ? undefined : new CatalogCopy(client);
  const pricing = catalog ?? { known: Promise.resolve(), prices: NO_PRICES };
  const readers = subjects.ledger.map(({ kind, stream }) => ({
    kind,
    reader: starting.use(
      new LedgerReader({
        bus,
        kind,
        stream,
        store: opening.store,
        pricing,
        logger,
        wallClock,
      }),
    ),
  }));
  observe('sluice.usage.written', () =>
    readers.map(({ kind, reader }) => [reader.written, { kind }]),
  );
  observe('sluice.usage.unread', () =>
    readers.flatMap(({ kind, reader }) => sampleOf(reader.unread?.messages, kind)),
  );
  observe('sluice.usage.lag', () =>
    readers.flatMap(({ kind, reader }) => sampleOf(reader.lagSeconds, kind)),
  );
  observe('sluice.usage.unread_share', () =>
    readers.flatMap(({ kind, reader }) => sampleOf(reader.unread?.share, kind)),
  );
  const outcomes = readers.find(({ kind }) => kind === 'outcomes')?.reader;
  const webhookKey = settings.WEBHOOK_KEY;
  const keeper =
    client === undefined || catalog === undefined
      ? undefined
      : starting.use(
          keepBudgets({
            store: opening.store,
            client,
            catalog,
            currency: settings.CURRENCY,
            webhookKey,
            privateNetworks: settings.WEBHOOK_PRIVATE_NETWORKS,
            lagSeconds: () => outcomes?.lagSeconds,
            logger,
            wallClock,
            random,
            firstRetryMs,
          }),
        );
  const tokens = settings.ADMIN_TOKENS;
  const server =
    tokens === undefined
      ? undefined
      : starting.use(
          await serveUsage({
            host: settings.HOST,
            port: settings.PORT,
            tls,
            handlers: usageHandlers({
              store: () => opening.opened,
              readers: readers.map(({ reader }) => reader),
              catalog,
              keeper,
              currency: settings.CURRENCY,
              webhookKey,
              logger,
              wallClock,
            }),
            authenticate: authenticateByTokens(tokens),
            logger,
          }),
        );
  logger.info({ address: server?.address }, 'listening');
  const running = starting.move();
  return {
    address: server?.address,
    readiness: () => ({
      ready: opening.opened !== undefined,
      details: {
        bus: bus.connected ? 'connected' : 'disconnected',
        database: opening.opened === undefined ? 'opening' : 'open',
        ...(keeper !== undefined && { budgets_age_s: keeper.ageSeconds }),
        ...Object.fromEntries(
          readers.map(({ kind, reader }) => [
            kind,
            { written: reader.written, unread: reader.unread?.messages, lag_s: reader.lagSeconds },
          ]),
        ),
      },
    }),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Undefined if no catalog is configured. Prices and budgets are then unknown. */
function catalogClient(settings: UsageSettings): CatalogBudgetsClient | undefined {
  const { CATALOG_ADMIN_ADDRESSES: addresses, CATALOG_TOKEN: token } = settings;
  if (addresses === undefined || token === undefined) return undefined;
  return connectCatalogBudgets({ addresses, token, tls: rpcClientTls(settings) });
}

/** The sample of a metric. There is none while the stream cannot be asked. */
function sampleOf(value: number | undefined, kind: string): [number, { readonly kind: string }][] {
  return value === undefined ? [] : [[value, { kind }]];
}
