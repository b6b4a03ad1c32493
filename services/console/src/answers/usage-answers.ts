import type { LimitWindow, LimitWindows } from '@sluice/contracts';
import { limitsFromMessage, type QuotaClient, type UsageClient } from '@sluice/rpc';
import type * as z from 'zod';
import type { RouteInput, RouteReply } from '../api/routes.ts';
import type { Freshness, UsageReply, UsageSums } from '../api/usage.ts';
import { textOrNull, type Answers, type AskCatalog } from './answers.ts';
import { ConsoleError, callOf } from './console-error.ts';
import { explainedRequest, requestItem } from './request-items.ts';
import { usageFile } from './usage-file.ts';

type UsageRoute = 'getLimits' | 'getUsage' | 'getUsageFile' | 'listRequests' | 'getRequest';

export interface UsageAnswerParts {
  readonly usage: UsageClient | undefined;
  readonly quota: Pick<QuotaClient, 'peek'> | undefined;
  readonly wallClock: () => number;
}

const MAX_GROUPS = 10_000;
/** How many pages of keys or projects are read to find the names of the groups. */
const MAX_NAME_PAGES = 25;

/**
 * The answers about the limits, the usage and the requests of an organization. They come from quota and usage, after
 * the catalog has decided that the person may read them.
 */
export function usageAnswers({
  usage,
  quota,
  wallClock,
}: UsageAnswerParts): Pick<Answers, UsageRoute> {
  function requireUsage(): UsageClient {
    if (usage !== undefined) return usage;
    throw new ConsoleError('not_set_up', 'This deployment runs no usage service.');
  }

  async function sumUsage(
    { params: { organization }, query }: RouteInput<'getUsage'> | RouteInput<'getUsageFile'>,
    ask: AskCatalog,
  ): Promise<z.infer<typeof UsageReply>> {
    await ask('Authorize', { organization, action: 'usage.read' });
    const service = requireUsage();
    const { by, since, until } = query;
    if (new Set(by).size < by.length || by.filter((name) => TIMES.has(name)).length > 1) {
      throw new ConsoleError(
        'invalid_value',
        'by must name different dimensions, one of them a time',
      );
    }
    if (until <= since) throw new ConsoleError('invalid_value', 'until must be after since');
    const reply = await callOf(
      'usage',
      service.sumUsage({
        by,
        organization,
        project: query.project ?? '',
        credential: query.key ?? '',
        model: query.model ?? '',
        sinceMs: since,
        untilMs: until,
        limit: MAX_GROUPS,
      }),
    );
    const labels = await Promise.all(
      by.map((dimension, index) => {
        const names = new Set(reply.groups.map((group) => group.names[index] ?? ''));
        return labelsOf(ask, organization, { dimension, names });
      }),
    );
    const groups = reply.groups.map(({ names, sums }) => ({
      names,
      labels: names.map((name, index) => labels[index]?.get(name) ?? name),
      sums: sumsOf(sums),
    }));
    return {
      groups,
      total: sumsOf(reply.total),
      since_ms: reply.sinceMs,
      until_ms: reply.untilMs,
      groups_left_out: reply.groupsLeftOut,
      currency: textOrNull(reply.currency),
      freshness: freshnessOf(reply.freshness),
    };
  }

  return {
    getLimits: async ({ params: { organization } }, ask) => {
      const { limits, limitsRevision } = await ask('GetLimits', { organization });
      if (quota === undefined) {
        throw new ConsoleError('not_set_up', 'This console does not know the quota service.');
      }
      const decision = await callOf(
        'limits',
        quota.peek({
          organization,
          limits: limitsFromMessage(limits ?? {}),
          revision: limitsRevision ?? { epoch: 0, sequence: 0 },
          requests: 0,
          tokens: 0,
        }),
      );
      if (decision.outcome === 'unavailable') {
        throw new ConsoleError(
          'limits_unavailable',
          'The limits cannot be asked at the moment. Everything else works. Please retry.',
        );
      }
      return { limits: limitStates(decision.windows), at_ms: wallClock() };
    },
    getUsage: sumUsage,
    getUsageFile: async (input, ask) => {
      const { groups } = await sumUsage(input, ask);
      return usageFile(input.query.by, groups);
    },
    listRequests: async ({ params: { organization }, query }, ask) => {
      await ask('Authorize', { organization, action: 'requests.read' });
      const service = requireUsage();
      const reply = await callOf(
        'usage',
        service.listRequests({
          organization,
          project: query.project ?? '',
          credential: query.key ?? '',
          model: query.model ?? '',
          outcomes: query.outcome === undefined ? [] : [query.outcome],
          codes: query.code === undefined ? [] : [query.code],
          ...(query.since !== undefined && { sinceMs: query.since }),
          ...(query.until !== undefined && { untilMs: query.until }),
          limit: REQUEST_ROWS,
          page: query.page ?? '',
        }),
      );
      return {
        requests: reply.requests.map(requestItem),
        next_page: textOrNull(reply.nextPage),
        currency: textOrNull(reply.currency),
        freshness: freshnessOf(reply.freshness),
      };
    },
    getRequest: async ({ params: { organization, request } }, ask) => {
      await ask('Authorize', { organization, action: 'requests.read' });
      const service = requireUsage();
      const reply = await callOf('usage', service.explain({ id: request }));
      const owner = reply.request?.organization ?? reply.attempts[0]?.organization;
      // The error is the same for a request of another organization and for one that does not exist, so that people
      // do not learn which requests exist.
      if (owner !== organization) {
        throw new ConsoleError(
          'not_found',
          `There is no request ${request}, or it is not known yet.`,
        );
      }
      return { ...explainedRequest(reply), freshness: freshnessOf(reply.freshness) };
    },
  };
}

const TIMES: ReadonlySet<string> = new Set(['hour', 'day', 'month']);
const REQUEST_ROWS = 50;

function limitStates(windows: LimitWindows): RouteReply<'getLimits'>['limits'] {
  const stateOf = (window: LimitWindow | null) =>
    window && { limit: window.limit, remaining: window.remaining, reset_ms: window.resetMs };
  return {
    requests_per_minute: stateOf(windows.requests_per_minute),
    requests_per_day: stateOf(windows.requests_per_day),
    tokens_per_minute: stateOf(windows.tokens_per_minute),
    tokens_per_day: stateOf(windows.tokens_per_day),
  };
}

type WireSums = NonNullable<Awaited<ReturnType<UsageClient['sumUsage']>>['total']>;
type WireFreshness = Awaited<ReturnType<UsageClient['sumUsage']>>['freshness'];

function sumsOf(sums: WireSums | null): z.infer<typeof UsageSums> {
  return {
    requests: sums?.requests ?? 0,
    completed: sums?.completed ?? 0,
    cancelled: sums?.cancelled ?? 0,
    failed: sums?.failed ?? 0,
    refused: sums?.refused ?? 0,
    input_tokens: sums?.inputTokens ?? 0,
    cached_tokens: sums?.cachedTokens ?? 0,
    output_tokens: sums?.outputTokens ?? 0,
    reasoning_tokens: sums?.reasoningTokens ?? 0,
    delivered_tokens: sums?.deliveredTokens ?? 0,
    spend: textOrNull(sums?.spend ?? ''),
    unpriced: sums?.unpriced ?? 0,
  };
}

function freshnessOf(freshness: WireFreshness): z.infer<typeof Freshness> {
  return {
    unread_messages: freshness?.unreadMessages ?? null,
    lag_seconds: freshness?.lagSeconds ?? null,
  };
}

/** The names of keys or projects by their ids. Usage knows only the ids. */
async function labelsOf(
  ask: AskCatalog,
  organization: string,
  { dimension, names }: { readonly dimension: string; readonly names: ReadonlySet<string> },
): Promise<ReadonlyMap<string, string>> {
  const labels = new Map<string, string>();
  if (dimension !== 'key' && dimension !== 'project') return labels;
  let after = '';
  for (let pages = 0; pages < MAX_NAME_PAGES; pages += 1) {
    const { items, nextAfter } = await listNamed(ask, dimension, { organization, after });
    for (const { id, name } of items) if (names.has(id) && name !== '') labels.set(id, name);
    if (nextAfter === '' || labels.size === names.size) break;
    after = nextAfter;
  }
  return labels;
}

async function listNamed(
  ask: AskCatalog,
  kind: 'key' | 'project',
  page: { readonly organization: string; readonly after: string },
) {
  if (kind === 'key') {
    const { keys, nextAfter } = await ask('ListApiKeys', page);
    return { items: keys, nextAfter };
  }
  const { projects, nextAfter } = await ask('ListProjects', page);
  return { items: projects, nextAfter };
}
