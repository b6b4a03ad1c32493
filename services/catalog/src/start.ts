import { busAccess, connectBus } from '@sluice/bus';
import { RESOURCE_KINDS, subjectsUnder } from '@sluice/contracts';
import { authenticateByTokens, budgetsService, serveCatalog, serveCatalogAdmin } from '@sluice/rpc';
import { type RunningService, count, initCounters, observe, type Logger } from '@sluice/service';
import { ChangeWriter } from './changes/change-writer.ts';
import { PlaygroundIssuer } from './changes/playground-issuer.ts';
import type { CatalogSettings } from './config.ts';
import { consoleHandlers } from './console/console-handlers.ts';
import { ModelLists } from './lookups/model-lists.ts';
import { BudgetReader } from './lookups/read-budgets.ts';
import { ReadinessGate } from './lookups/readiness-gate.ts';
import { CatalogState } from './model/catalog-state.ts';
import { adminHandlers } from './rpc/admin-handlers.ts';
import { budgetHandlers } from './rpc/budget-handlers.ts';
import { catalogHandlers } from './rpc/catalog-handlers.ts';
import { catalogTls } from './rpc/security.ts';
import { affectedAnswers } from './store/affected-answers.ts';
import { announceChanges } from './store/announce-changes.ts';
import { keepLedger } from './store/keep-ledger.ts';
import { KvResourceStore } from './store/kv-resource-store.ts';

export interface CatalogOverrides {
  readonly wallClock?: () => number;
}

export interface RunningCatalog extends RunningService {
  /** host:port of the server for gateways. */
  readonly address: string;
  /** host:port of the server for operators, consoles and usage; undefined without admin tokens and keys of consoles. */
  readonly adminAddress: string | undefined;
}

const UNREADABLE_ENTRY = { message: 'catalog_entry', fault: 'shape' } as const;
/** How often the gate notes whether changes arrive. */
const NOTICE_INTERVAL_MS = 1_000;

export async function start(
  settings: CatalogSettings,
  logger: Logger,
  { wallClock = Date.now }: CatalogOverrides = {},
): Promise<RunningCatalog> {
  const tls = catalogTls(settings);
  await using starting = new AsyncDisposableStack();
  const subjects = subjectsUnder(settings.SUBJECT_PREFIX);
  const inbox = subjects.inbox('catalog');
  const bus = starting.use(
    await connectBus({ ...busAccess(settings), name: 'catalog', inbox, logger }),
  );
  const ledger = starting.use(keepLedger({ bus, subjects, settings }));
  initCounters('sluice.contract.mismatches', [UNREADABLE_ENTRY]);
  const state = new CatalogState(({ name, sequence }, error) => {
    count('sluice.contract.mismatches', UNREADABLE_ENTRY);
    logger.error({ err: error, entry: name, sequence }, 'an entry of the store cannot be read');
  });
  const loadingSince = performance.now();
  const store = starting.use(
    await KvResourceStore.open(
      bus,
      {
        bucket: settings.CATALOG_BUCKET,
        replicas: settings.CATALOG_REPLICAS,
        history: settings.CATALOG_HISTORY,
        skipDamaged: settings.CATALOG_SKIP_DAMAGED,
      },
      state,
    ),
  );
  logger.info({ ...counts(state), loadMs: Math.round(performance.now() - loadingSince) }, 'loaded');
  const gate = new ReadinessGate({
    state,
    store,
    live: () => store.live,
    clock: () => performance.now(),
    lagWaitMs: settings.LAG_WAIT_MS,
    staleAnswersMs: settings.STALE_ANSWERS_MS,
  });
  const noticing = setInterval(() => gate.notice(), NOTICE_INTERVAL_MS);
  starting.defer(() => clearInterval(noticing));
  const writer = new ChangeWriter({
    state,
    store,
    wallClock,
    onChanged: ({ position, ...change }) => {
      count('sluice.catalog.changes', { kind: change.kind, action: change.action });
      logger.info({ ...change, sequence: position.sequence }, 'changed');
      announcer.announce(position, affectedAnswers(state, change));
    },
    timeoutMs: settings.CHANGE_TIMEOUT_MS,
  });
  const issuer = new PlaygroundIssuer({ catalog: state, writer, wallClock });
  const modelLists = new ModelLists(state);
  const server = starting.use(
    await serveCatalog({
      host: settings.HOST,
      port: settings.PORT,
      tls: tls.forGateways,
      handlers: catalogHandlers({ gate, modelLists, wallClock }),
      logger,
    }),
  );
  // Created after the server: gateways call it as soon as a position is announced.
  const announcer = starting.use(
    announceChanges(bus, subjects, () => (state.loaded ? state.position : undefined)),
  );
  observe('sluice.catalog.entries', () =>
    RESOURCE_KINDS.map((kind) => [state.count(kind), { kind }]),
  );
  observe('sluice.catalog.live', () => (store.live ? 1 : 0));
  observe('sluice.catalog.skipped_records', () => store.skipped.length);
  observe('sluice.ledger.kept', () =>
    Object.entries(ledger.states).map(([kind, { exists }]) => [exists ? 1 : 0, { kind }]),
  );
  const { ADMIN_TOKENS: tokens, CONSOLE_KEYS: keys, CONSOLE_PLAN: plan } = settings;
  const parts = { gate, writer, issuer, store, catalog: state, wallClock };
  const budgetTokens = settings.BUDGET_TOKENS;
  const forUsage =
    budgetTokens === undefined
      ? []
      : [
          starting.use(
            budgetsService({
              handlers: budgetHandlers({ gate, writer, budgets: new BudgetReader(state) }),
              authenticate: authenticateByTokens(budgetTokens),
              logger,
            }),
          ),
        ];
  const adminServer =
    tokens === undefined && keys === undefined
      ? undefined
      : starting.use(
          await serveCatalogAdmin({
            host: settings.ADMIN_HOST,
            port: settings.ADMIN_PORT,
            tls: tls.forOperators,
            handlers: adminHandlers({ ...parts, logger }),
            authenticate: authenticateByTokens(tokens ?? new Map()),
            console: keys && {
              keys,
              handlers: consoleHandlers({ ...parts, modelLists, plan }),
              wallClock,
            },
            logger,
            others: forUsage,
          }),
        );
  logger.info({ address: server.address, adminAddress: adminServer?.address }, 'listening');
  const running = starting.move();
  return {
    address: server.address,
    adminAddress: adminServer?.address,
    readiness: () => ({
      ready: state.loaded,
      details: {
        bus: bus.connected ? 'connected' : 'disconnected',
        live: store.live,
        ledger: ledger.states,
        ...(store.skipped.length > 0 && { skipped: store.skipped }),
        ...state.position,
        ...counts(state),
      },
    }),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function counts(state: CatalogState): Record<string, number> {
  return Object.fromEntries(RESOURCE_KINDS.map((kind) => [kind, state.count(kind)]));
}
