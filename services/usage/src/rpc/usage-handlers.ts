import { decimalOf } from '@sluice/contracts';
import { RpcError, type UsageHandlers } from '@sluice/rpc';
import { explainRequest } from '../queries/explain-request.ts';
import { listRequests } from '../queries/list-requests.ts';
import type { RequestInfo } from '../queries/request-info.ts';
import { sumUsage, type UsageSums } from '../queries/sum-usage.ts';
import type { UsageStore } from '../store/usage-store.ts';
import { budgetHandlers, type BudgetHandlerOptions } from './budget-handlers.ts';
import { readPage, requestQuery, usageQuery, writePage } from './read-queries.ts';

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
    // A sum over some of the streams would look better than it is.
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
        attempts: explained.attempts,
        freshness: freshness(),
        currency,
      };
    },
    listRequests: async (request) => {
      const query = requestQuery(request, readPage(request.page));
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
        sinceMs: sinceMs,
        untilMs: untilMs,
        groupsLeftOut: groupsLeftOut,
        freshness: freshness(),
        currency,
      };
    },
  };
}

/** An absent field of a message is undefined. */
function requestMessage({ firstTokenMs, spend, ...rest }: RequestInfo) {
  return {
    ...rest,
    ...(firstTokenMs !== null && { firstTokenMs }),
    ...(spend !== null && { spend: decimalOf(BigInt(spend)) }),
  };
}

function sumsMessage({ spend, ...sums }: UsageSums) {
  return { ...sums, spend: decimalOf(BigInt(spend)) };
}
