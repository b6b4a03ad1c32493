import type {
  CatalogConsoleClient,
  ConsoleCall,
  ConsoleReply,
  ConsoleRequestInput,
} from '@sluice/rpc';
import type { RouteInput, RouteName, RouteReply } from '../api/routes.ts';
import type { Session } from '../session/sessions.ts';
import { callOf } from './console-error.ts';

/** Calls the catalog on behalf of one person. The catalog decides whether the person may make the call. */
export type AskCatalog = <Name extends ConsoleCall>(
  name: Name,
  request: ConsoleRequestInput<Name>,
) => Promise<ConsoleReply<Name>>;

/** Routes that set or remove cookies. The edge answers them. */
type SessionRoute = 'getSession' | 'signOut' | 'eraseOwnAccount';
export type AnsweredRoute = Exclude<RouteName, SessionRoute>;

export type Answer<Name extends RouteName> = (
  input: RouteInput<Name>,
  ask: AskCatalog,
) => Promise<RouteReply<Name>>;

/** An answer for each route of the table. */
export type Answers = { readonly [Name in AnsweredRoute]: Answer<Name> };

/** The session is undefined only for routes that are open to people who are not signed in. */
export function askAs(
  catalog: Pick<CatalogConsoleClient, 'call'>,
  session: Pick<Session, 'account' | 'generation'> | undefined,
): AskCatalog {
  const caller =
    session === undefined
      ? undefined
      : { account: session.account, generation: session.generation };
  return (name, request) => callOf('catalog', catalog.call(name, request, caller));
}

/** How many rows a page has. */
export const PAGE_ROWS = 50;

/** The fields of a call that asks the catalog for one page of a list. */
export function pageRequest({
  page,
  search,
}: {
  readonly page?: string | undefined;
  readonly search?: string | undefined;
}) {
  return { after: page ?? '', search: search ?? '', limit: PAGE_ROWS };
}

export function pageReply({
  nextAfter,
  total,
}: {
  readonly nextAfter: string;
  readonly total: number;
}) {
  return { next_page: textOrNull(nextAfter), total };
}

/** What an account is called. Accounts that an operator has created may have no name. */
export function accountName({
  name,
  email,
  id,
}: {
  readonly name: string;
  readonly email: string;
  readonly id: string;
}): string {
  return name || email || id;
}

/** In a gRPC message, an empty text means that there is no value. */
export function textOrNull(text: string): string | null {
  return text === '' ? null : text;
}
