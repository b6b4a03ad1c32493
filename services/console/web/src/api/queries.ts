import {
  MutationCache,
  QueryCache,
  QueryClient,
  type UseInfiniteQueryResult,
  type UseMutationResult,
  type UseQueryResult,
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import type { RouteName, RouteReply } from '../../../src/api/routes.ts';
import { ApiError, type Ask, call } from './client.ts';

/** If a call fails because the session has ended, the session is read again. This leads to the sign-in page. */
function rereadSessionIfSignedOut(error: unknown): void {
  if (error instanceof ApiError && error.status === 401) {
    void queryClient.invalidateQueries({ queryKey: ['getSession'] });
  }
}

const isTemporary = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status >= 500);

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: rereadSessionIfSignedOut }),
  mutationCache: new MutationCache({ onError: rereadSessionIfSignedOut }),
  defaultOptions: {
    queries: {
      retry: (failures, error) => failures < 1 && isTemporary(error),
      retryDelay: 500,
      staleTime: 1_000,
      // Calls are made even if the browser says that it is offline, because it may still reach this machine.
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});

interface ReadOptions {
  /** Reads again after this many milliseconds, while the page is visible. */
  readonly every?: number;
  readonly enabled?: boolean;
  /** After a change of the query, shows the previous data until the reply arrives. */
  readonly keepPrevious?: boolean;
}

export function useRead<Name extends RouteName>(
  name: Name,
  ask: Ask<Name>,
  { every, enabled = true, keepPrevious = false }: ReadOptions = {},
): UseQueryResult<RouteReply<Name>> {
  return useQuery<RouteReply<Name>>({
    queryKey: [name, ask],
    queryFn: ({ signal }) => call(name, ask, signal),
    enabled,
    ...(every === undefined ? {} : { refetchInterval: every }),
    ...(keepPrevious ? { placeholderData: keepPreviousData } : {}),
  });
}

type PagedRoute = {
  [Name in RouteName]: RouteReply<Name> extends { next_page: string | null } ? Name : never;
}[RouteName];

interface PagesOf<Reply> {
  readonly pages: Reply[];
}

/** A list that is read page by page. */
export function usePages<Name extends PagedRoute>(
  name: Name,
  ask: Ask<Name>,
  { enabled = true }: { readonly enabled?: boolean } = {},
): UseInfiniteQueryResult<PagesOf<RouteReply<Name>>> {
  return useInfiniteQuery({
    queryKey: [name, ask],
    queryFn: ({ pageParam, signal }) => {
      const { query } = ask as { query?: object };
      const page = pageParam === null ? {} : { page: pageParam };
      return call(name, { ...ask, query: { ...query, ...page } }, signal);
    },
    initialPageParam: null as string | null,
    getNextPageParam: (last) => (last as { next_page: string | null }).next_page,
    enabled,
    placeholderData: keepPreviousData,
  });
}

/**
 * Reads a route again. The first reading of a list is not repeated while it runs: it must be cancelled, because it may
 * have begun before the change. See `fetch` in
 * https://github.com/TanStack/query/blob/main/packages/query-core/src/query.ts
 */
async function readAgain(client: QueryClient, name: RouteName): Promise<void> {
  await client.cancelQueries({ queryKey: [name] });
  await client.invalidateQueries({ queryKey: [name] });
}

/** Makes a change. After it, the routes in `alters` are read again. */
export function useChange<Name extends RouteName>(
  name: Name,
  alters: readonly RouteName[],
): UseMutationResult<RouteReply<Name>, Error, Ask<Name>> {
  const client = useQueryClient();
  return useMutation<RouteReply<Name>, Error, Ask<Name>>({
    mutationFn: (ask) => call(name, ask),
    onSuccess: async () => {
      await Promise.all(alters.map((altered) => readAgain(client, altered)));
    },
  });
}
