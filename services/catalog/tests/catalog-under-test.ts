import {
  connectCatalog,
  connectCatalogAdmin,
  connectCatalogBudgets,
  type CatalogAdminClient,
  type CatalogBudgetsClient,
  type CatalogClient,
} from '@sluice/rpc';
import { createLogger } from '@sluice/service';
import { readCatalogSettings } from '../src/config.ts';
import { start, type CatalogOverrides, type RunningCatalog } from '../src/start.ts';

export const logger = createLogger({ service: 'catalog-test', level: 'silent' });

export const ADMIN_TOKEN = 'operator-token-for-tests';
const BUDGET_TOKEN = 'usage-token-for-the-tests';

export interface CatalogUnderTest extends AsyncDisposable {
  readonly service: RunningCatalog;
  readonly client: CatalogClient;
  readonly admin: CatalogAdminClient;
  /** A client with the token of the usage service. */
  readonly budgets: CatalogBudgetsClient;
}

export interface CatalogUnderTestOptions extends CatalogOverrides {
  readonly natsUrl: string;
  readonly namespace: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A catalog in this process, on ports of its own, with clients of both of its ports. */
export async function startCatalog(options: CatalogUnderTestOptions): Promise<CatalogUnderTest> {
  const { natsUrl, namespace, environment, ...overrides } = options;
  const settings = readCatalogSettings({
    NATS_URL: natsUrl,
    CATALOG_BUCKET: namespace,
    SUBJECT_PREFIX: namespace,
    PORT: '0',
    ADMIN_PORT: '0',
    // NATS reserves this space for the ledger of each catalog that a test starts.
    LEDGER_MAX_BYTES: '1048576',
    ADMIN_TOKENS: `operator:${ADMIN_TOKEN},other:another-token-for-tests`,
    BUDGET_TOKENS: `usage:${BUDGET_TOKEN}`,
    ...environment,
  });
  await using starting = new AsyncDisposableStack();
  const service = starting.use(await start(settings, logger, overrides));
  const client = starting.use(
    connectCatalog({ addresses: [service.address], deadlineMs: 5_000, logger }),
  );
  const admin = starting.use(
    connectCatalogAdmin({ address: service.adminAddress ?? '', token: ADMIN_TOKEN }),
  );
  const budgets = starting.use(
    connectCatalogBudgets({ addresses: [service.adminAddress ?? ''], token: BUDGET_TOKEN }),
  );
  const running = starting.move();
  return { service, client, admin, budgets, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
