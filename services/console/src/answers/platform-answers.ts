import type { AuditRecord, ConsoleReply } from '@sluice/rpc';
import * as z from 'zod';
import {
  AccountItem,
  type ACCOUNT_ACTIONS,
  type AuditItem,
  type ResourceItem,
} from '../api/platform.ts';
import {
  PAGE_ROWS,
  accountName,
  pageReply,
  pageRequest,
  textOrNull,
  type Answers,
  type AskCatalog,
} from './answers.ts';
import { ConsoleError } from './console-error.ts';

type PlatformRoute =
  | 'listAccounts'
  | 'changeAccount'
  | 'exportPersonalData'
  | 'listAudit'
  | 'listResources'
  | 'getResource'
  | 'createResource'
  | 'replaceResource'
  | 'deleteResource';

const Document = z.record(z.string(), z.unknown());

/** The answers for operators: accounts, resources and the audit log. */
export const platformAnswers: Pick<Answers, PlatformRoute> = {
  listAccounts: async ({ query }, ask) => {
    const reply = await ask('ListAccounts', { ...pageRequest(query), filter: query.filter ?? '' });
    return { accounts: reply.accounts.map(describeAccount), ...pageReply(reply) };
  },
  changeAccount: async ({ params: { account, action } }, ask) => {
    await CALL_OF_ACTION[action](account, ask);
    return {};
  },
  exportPersonalData: async ({ params }, ask) => {
    const { document } = await ask('ExportPersonalData', params);
    return readDocument(document);
  },
  listAudit: async ({ query }, ask) => {
    const { records, nextBefore } = await ask('ListAudit', {
      kind: query.kind ?? '',
      id: query.id ?? '',
      before: readSequence(query.page),
      limit: PAGE_ROWS,
    });
    return {
      records: records.map(describeRecord),
      next_page: nextBefore === 0 ? null : String(nextBefore),
    };
  },

  listResources: async ({ params, query }, ask) => {
    const reply = await ask('ListPlatformResources', {
      ...params,
      ...pageRequest(query),
      organization: query.organization ?? '',
    });
    return { resources: reply.resources.map(describeResource), ...pageReply(reply) };
  },
  getResource: async ({ params }, ask) => ({
    resource: describeResource(await ask('GetResource', params)),
  }),
  createResource: async ({ params: { kind }, body: { document } }, ask) => ({
    resource: describeResource(
      await ask('CreateResource', { kind, id: idOf(document), document: JSON.stringify(document) }),
    ),
  }),
  replaceResource: async ({ params: { kind, id }, body: { document, sequence } }, ask) => {
    if (idOf(document) !== id) {
      throw new ConsoleError('invalid_value', 'The id of a resource cannot be changed.');
    }
    return {
      resource: describeResource(
        await ask('UpdateResource', { kind, id, sequence, document: JSON.stringify(document) }),
      ),
    };
  },
  deleteResource: async ({ params, query: { sequence } }, ask) => {
    await ask('DeleteResource', { ...params, sequence });
    return {};
  },
};

type AccountAction = (typeof ACCOUNT_ACTIONS)[number];

const CALL_OF_ACTION: Readonly<
  Record<AccountAction, (account: string, ask: AskCatalog) => Promise<unknown>>
> = {
  grant: (account, ask) => ask('SetAccountAccess', { account, access: 'granted' }),
  wait: (account, ask) => ask('SetAccountAccess', { account, access: 'waiting' }),
  restrict: (account, ask) => ask('SetAccountRestricted', { account, restricted: true }),
  unrestrict: (account, ask) => ask('SetAccountRestricted', { account, restricted: false }),
  'make-operator': (account, ask) => ask('SetOperator', { account, operator: true }),
  'unmake-operator': (account, ask) => ask('SetOperator', { account, operator: false }),
  'end-sessions': (account, ask) => ask('EndSessions', { account }),
  erase: (account, ask) => ask('EraseAccount', { account }),
};

function describeAccount(
  account: ConsoleReply<'ListAccounts'>['accounts'][number],
): z.infer<typeof AccountItem> {
  return AccountItem.parse({
    id: account.id,
    name: accountName(account),
    email: textOrNull(account.email),
    access: account.access,
    onboarding: account.onboarding,
    restricted: account.restricted,
    operator: account.operator,
    linked: account.linked,
    created_at_ms: account.createdAtMs ?? null,
    terms_accepted_at_ms: account.termsAcceptedAtMs ?? null,
  });
}

function describeRecord(record: AuditRecord): z.infer<typeof AuditItem> {
  return {
    sequence: record.position?.sequence ?? 0,
    at_ms: record.atMs,
    who: record.who,
    action: record.action,
    kind: record.kind,
    id: record.id,
    before: record.before === undefined ? null : readDocument(record.before),
    after: record.after === undefined ? null : readDocument(record.after),
  };
}

function describeResource({
  id,
  sequence,
  document,
}: ConsoleReply<'GetResource'>): z.infer<typeof ResourceItem> {
  return { id, sequence, document: readDocument(document) };
}

function readDocument(text: string): z.infer<typeof Document> {
  return Document.parse(JSON.parse(text));
}

function idOf(document: Readonly<Record<string, unknown>>): string {
  const { id } = document;
  if (typeof id === 'string' && id !== '') return id;
  throw new ConsoleError('invalid_value', 'The document has no id.');
}

/** Reads the name of a page of the audit log: the sequence of the change before which the page begins. */
function readSequence(page: string | undefined): number {
  if (page === undefined) return 0;
  if (!/^\d{1,15}$/.test(page)) throw new ConsoleError('invalid_value', 'There is no such page.');
  return Number(page);
}
