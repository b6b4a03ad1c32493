import type { Account } from '@sluice/contracts';
import type { CatalogConsoleHandlers, ConsoleReplyInput } from '@sluice/rpc';
import { erasedEntry, erasureSteps } from '../changes/erase-account.ts';
import { getResource } from '../changes/manage-resources.ts';
import { CatalogError } from '../model/catalog-error.ts';
import { generationOf } from './authorize.ts';
import type { CallBuilder, CallContext } from './call-builder.ts';
import { matches, pageOf, sortedBy } from './pages.ts';
import { exportPersonalData } from './personal-data.ts';
import { withNextGeneration } from './session-calls.ts';

type AccountCall =
  | 'ListAccounts'
  | 'SetAccountAccess'
  | 'SetAccountRestricted'
  | 'SetOperator'
  | 'EndSessions'
  | 'ExportPersonalData'
  | 'EraseAccount'
  | 'ExportOwnData'
  | 'EraseOwnAccount';

/** Calls of operators about accounts, and those of people about their own data. */
export function accountCalls(calls: CallBuilder): Pick<CatalogConsoleHandlers, AccountCall> {
  return {
    ListAccounts: calls.ofOperator('ListAccounts', async (request, { catalog }) => {
      const isWanted = filterNamed(request.filter);
      const found: Account[] = [];
      for (const { document } of catalog.all('accounts')) {
        const { id, name, email } = document;
        if (isWanted(document) && matches(request.search, id, name, email)) found.push(document);
      }
      const { items, total, nextAfter } = pageOf(
        sortedBy(found, ({ id }) => id),
        request,
        ({ id }) => id,
      );
      return { accounts: items.map(accountDetails), total, nextAfter };
    }),
    SetAccountAccess: calls.ofOperator('SetAccountAccess', async (request, { edit }) => {
      const { access } = request;
      if (access !== 'granted' && access !== 'waiting') {
        throw new CatalogError('invalid', 'the access must be granted or waiting');
      }
      const updated = await edit('accounts', request.account, (account, caller) => {
        if (access === 'waiting') requireOther(caller, account);
        return { ...account, access };
      });
      return accountDetails(updated);
    }),
    SetAccountRestricted: calls.ofOperator('SetAccountRestricted', async (request, { edit }) => {
      const { restricted } = request;
      const updated = await edit('accounts', request.account, (account, caller) => {
        requireOther(caller, account);
        return { ...account, restricted };
      });
      return accountDetails(updated);
    }),
    SetOperator: calls.ofOperator('SetOperator', async (request, { edit }) => {
      const updated = await edit('accounts', request.account, (account, caller) => {
        requireOther(caller, account);
        return { ...account, operator: request.operator };
      });
      return accountDetails(updated);
    }),
    EndSessions: calls.ofOperator('EndSessions', async (request, { edit }) =>
      accountDetails(await edit('accounts', request.account, withNextGeneration)),
    ),
    ExportPersonalData: calls.ofOperator('ExportPersonalData', async (request, { catalog }) => ({
      document: exportPersonalData(catalog, request.account),
    })),
    EraseAccount: calls.ofOperator('EraseAccount', async ({ account }, context) => {
      const { document } = getResource(context.catalog, 'accounts', account);
      requireOther(context.caller, document);
      return { deleted: await erase(context, account) };
    }),
    ExportOwnData: calls.ofAccount('ExportOwnData', async (_request, { catalog, caller }) => ({
      document: exportPersonalData(catalog, caller.id),
    })),
    EraseOwnAccount: calls.ofAccount('EraseOwnAccount', async (_request, context) => {
      const { caller } = context;
      if (caller.operator === true) requireOther(caller, caller);
      return { deleted: await erase(context, caller.id) };
    }),
  };
}

/** Returns the deleted entries. */
async function erase(
  { catalog: known, change }: CallContext<Account>,
  account: string,
): Promise<string[]> {
  const deleted: string[] = [];
  for (const step of erasureSteps(known, account)) {
    let entry: string | undefined;
    await change((catalog) => {
      const planned = step(catalog);
      entry = erasedEntry(planned);
      return planned;
    });
    if (entry !== undefined) deleted.push(entry);
  }
  return deleted;
}

/**
 * Throws if the account is the caller's own. Operators therefore cannot lock themselves out, and at least one operator
 * is always left who can undo a mistake.
 */
function requireOther(caller: Account, account: Account): void {
  if (caller.id !== account.id) return;
  throw new CatalogError(
    'forbidden_by_state',
    'an operator cannot do this to its own account: ask another operator',
  );
}

const FILTERS: Readonly<Record<string, (account: Account) => boolean>> = {
  '': () => true,
  waiting: ({ access }) => access === 'waiting',
  granted: ({ access }) => access === 'granted',
  restricted: ({ restricted }) => restricted,
  operators: ({ operator }) => operator === true,
};

function filterNamed(name: string): (account: Account) => boolean {
  const filter = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;
  if (filter !== undefined) return filter;
  throw new CatalogError('invalid', `there is no filter ${name}`);
}

function accountDetails(account: Account): ConsoleReplyInput<'SetOperator'> {
  const { created_at_ms: created, terms_accepted_at_ms: accepted } = account;
  return {
    id: account.id,
    name: account.name ?? '',
    email: account.email ?? '',
    access: account.access,
    onboarding: account.onboarding,
    restricted: account.restricted,
    operator: account.operator ?? false,
    linked: (account.identities ?? []).length > 0,
    generation: generationOf(account),
    ...(typeof created === 'number' && { createdAtMs: created }),
    ...(typeof accepted === 'number' && { termsAcceptedAtMs: accepted }),
  };
}
