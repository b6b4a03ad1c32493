import { DEFAULT_WEIGHT, SCHEDULING_CLASSES, decimalOf } from '@sluice/contracts';
import { RpcError, type UsageHandlers } from '@sluice/rpc';
import { explainRequest, type RequestDetails } from '../queries/explain-request.ts';
import { lastUses } from '../queries/last-uses.ts';
import { listRequests } from '../queries/list-requests.ts';
import type { RequestInfo } from '../queries/request-info.ts';
import { sumUsage, type UsageSums } from '../queries/sum-usage.ts';
import type { UsageStore } from '../store/usage-store.ts';
import { budgetHandlers, type BudgetHandlerOptions } from './budget-handlers.ts';
import { readCredentials, readPage, requestQuery, usageQuery, writePage } from './read-queries.ts';

export interface UsageHandlerOptions extends Pick<
  BudgetHandlerOptions,
  'catalog' | 'keeper' | 'currency' | 'webhookKey' | 'logger'
> {
  /** Undefined until the database is open. */
  readonly store: () => UsageStore | undefined;
  readonly readers: readonly {
    readonly unread: { readonly messages: number } | undefined;
    readonly lagSeconds: number | undefined;
  }[];
  readonly wallClock: () => number;
}

/** Answers the calls of operators and of the console. */
export function usageHandlers(options: UsageHandlerOptions): UsageHandlers {
  const { store, readers, currency, wallClock } = options;
  const opened = () => {
    const found = store();
    if (found !== undefined) return found;
    throw new RpcError('unavailable', 'the database is not open yet; try again');
  };
  const freshness = () => {
    const unread = readers
      .map(({ unread }) => unread?.messages)
      .filter((count) => count !== undefined);
    const lags = readers.map(({ lagSeconds }) => lagSeconds).filter((lag) => lag !== undefined);
    // If one of the streams cannot be asked, the sum over the rest would look too good.
    if (unread.length < readers.length) return null;
    return {
      unreadMessages: unread.reduce((sum, count) => sum + count, 0),
      lagSeconds: Math.max(...lags),
    };
  };
  return {
    ...budgetHandlers({ ...options, store: opened, freshness }),
    explain: async ({ id }) => {
      const explained = await explainRequest(opened().database, id);
      if (explained === undefined) throw new RpcError('not_found', `no request ${id} is known`);
      return {
        ...(explained.request === undefined ? {} : { request: requestMessage(explained.request) }),
        ...detailsMessage(explained.details),
        attempts: explained.attempts,
        freshness: freshness(),
        currency,
      };
    },
    lastUses: async ({ credentials }) => ({
      uses: await lastUses(opened().database, readCredentials(credentials)),
      freshness: freshness(),
    }),
    listRequests: async (request) => {
      const query = requestQuery(request, { after: readPage(request.page), wallClock });
      const { requests, next, arrival } = await listRequests(opened().database, query);
      return {
        requests: requests.map(requestMessage),
        nextPage: writePage(next),
        arrival,
        freshness: freshness(),
        currency,
      };
    },
    sumUsage: async (request) => {
      const store = opened();
      const query = usageQuery(request, { hoursFromMs: store.keptTimes().fromMs, wallClock });
      const { groups, total, sinceMs, untilMs, groupsLeftOut } = await sumUsage(
        store.database,
        query,
      );
      return {
        groups: groups.map(({ names, sums }) => ({ names: [...names], sums: sumsMessage(sums) })),
        total: sumsMessage(total),
        sinceMs,
        untilMs,
        groupsLeftOut,
        freshness: freshness(),
        currency,
      };
    },
  };
}

/** A field that is null in the tables is left out of the message. */
function requestMessage({ firstTokenMs, status, spend, ...rest }: RequestInfo) {
  return {
    ...rest,
    ...(firstTokenMs !== null && { firstTokenMs }),
    ...(status !== null && { status }),
    ...(spend !== null && { spend: decimalOf(BigInt(spend)) }),
  };
}

function detailsMessage({ limits, offers = [], scheduling_class, weight }: RequestDetails) {
  return {
    ...(limits !== undefined && {
      limits: {
        tokens: limits.tokens,
        limits: Object.entries(limits.windows).map(([name, [limit, remaining]]) => ({
          name,
          limit,
          remaining,
        })),
        refusedBy: limits.refused_by ?? '',
        waitMs: limits.wait_ms ?? 0,
      },
    }),
    offers: offers.map((offer) => ({
      worker: offer.worker,
      workerName: offer.worker_name ?? offer.worker,
      target: offer.target,
      afterMs: offer.after_ms,
      tookMs: offer.took_ms,
      ended: offer.ended,
      reason: offer.reason ?? '',
    })),
    schedulingClass: scheduling_class ?? SCHEDULING_CLASSES.default,
    weight: weight ?? DEFAULT_WEIGHT,
  };
}

function sumsMessage({ spend, ...sums }: UsageSums) {
  return { ...sums, spend: decimalOf(BigInt(spend)) };
}
