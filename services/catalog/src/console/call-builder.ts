import { isDeepStrictEqual } from 'node:util';
import type { Account, Revision } from '@sluice/contracts';
import type { ConsoleCall, ConsoleCaller, ConsoleReplyInput, ConsoleRequest } from '@sluice/rpc';
import type { ChangeWriter, PlannedChange } from '../changes/change-writer.ts';
import { getResource } from '../changes/manage-resources.ts';
import type { ReadinessGate } from '../lookups/readiness-gate.ts';
import type { CatalogView } from '../model/catalog-state.ts';
import type { DocumentOf, EntryKind } from '../model/entry-kinds.ts';
import { mapCatalogErrors } from '../rpc/rpc-errors.ts';
import {
  authorizeAccount,
  authorizeMember,
  authorizeOperator,
  type Membership,
} from './authorize.ts';
import type { RightInOrganization, RightOfAccount, RightOnPlatform } from './rights.ts';

/** What the code of a call works with, after the caller's right was checked. */
export interface CallContext<Caller> {
  /** The state that includes every change made so far. */
  readonly catalog: CatalogView;
  readonly caller: Caller;
  /** The caller in the audit log. */
  readonly who: string;
  /** Makes a change. The right is checked again on the state that the change is planned on. */
  readonly change: <Kind extends EntryKind>(
    plan: (catalog: CatalogView, caller: Caller) => PlannedChange<Kind> | 'nothing',
  ) => Promise<Revision>;
  /** Changes one document, and returns it. */
  readonly edit: <Kind extends EntryKind>(
    kind: Kind,
    id: string,
    update: (document: DocumentOf<Kind>, caller: Caller, catalog: CatalogView) => DocumentOf<Kind>,
  ) => Promise<DocumentOf<Kind>>;
}

/** The code of a call. */
type Handle<Name extends ConsoleCall, Caller> = (
  request: ConsoleRequest<Name>,
  context: CallContext<Caller>,
) => Promise<ConsoleReplyInput<Name>>;

/** The author of a change in the audit log. An admin token cannot have a name with a colon. */
export function authorOf(account: string): string {
  return `account:${account}`;
}

/** Builds the handlers of calls. A handler first checks that the caller has the right with the name of the call. */
export class CallBuilder {
  readonly #gate: ReadinessGate;
  readonly #writer: ChangeWriter;

  constructor({ gate, writer }: { gate: ReadinessGate; writer: ChangeWriter }) {
    this.#gate = gate;
    this.#writer = writer;
  }

  ofAccount<Name extends ConsoleCall & RightOfAccount>(right: Name, handle: Handle<Name, Account>) {
    return this.#checked<Name, Account>(handle, (catalog, caller) => {
      const account = authorizeAccount(catalog, caller, right);
      return { caller: account, account };
    });
  }

  ofMember<Name extends ConsoleCall & RightInOrganization>(
    right: Name,
    handle: Handle<Name, Membership>,
  ) {
    return this.#checked<Name, Membership, { readonly organization: string }>(
      handle,
      (catalog, caller, { organization }) => {
        const member = authorizeMember(catalog, caller, right, organization);
        return { caller: member, account: member.account };
      },
    );
  }

  ofOperator<Name extends ConsoleCall & RightOnPlatform>(
    right: Name,
    handle: Handle<Name, Account>,
  ) {
    return this.#checked<Name, Account>(handle, (catalog, caller) => {
      const account = authorizeOperator(catalog, caller, right);
      return { caller: account, account };
    });
  }

  #checked<Name extends ConsoleCall, Caller, Fields = unknown>(
    handle: Handle<Name, Caller>,
    authorize: (
      catalog: CatalogView,
      caller: ConsoleCaller | undefined,
      request: ConsoleRequest<Name> & Fields,
    ) => { readonly caller: Caller; readonly account: Account },
  ) {
    return mapCatalogErrors(
      async (
        request: ConsoleRequest<Name> & Fields,
        claimed: ConsoleCaller | undefined,
      ): Promise<ConsoleReplyInput<Name>> => {
        const catalog = await this.#gate.openLatest();
        const { caller, account } = authorize(catalog, claimed, request);
        const who = authorOf(account.id);
        const change: CallContext<Caller>['change'] = (plan) =>
          this.#writer.change(who, (current) =>
            plan(current, authorize(current, claimed, request).caller),
          );
        return handle(request, { catalog, caller, who, change, edit: editWith(change) });
      },
    );
  }
}

function editWith<Caller>(change: CallContext<Caller>['change']): CallContext<Caller>['edit'] {
  return async <Kind extends EntryKind>(
    kind: Kind,
    id: string,
    update: (document: DocumentOf<Kind>, caller: Caller, catalog: CatalogView) => DocumentOf<Kind>,
  ) => {
    let updated: DocumentOf<Kind> | undefined;
    await change<Kind>((catalog, caller) => {
      const { document } = getResource(catalog, kind, id);
      updated = update(document, caller, catalog);
      if (isDeepStrictEqual(updated, document)) return 'nothing';
      return { kind, id, action: 'update', document: updated };
    });
    if (updated === undefined) throw new Error('the change was not planned');
    return updated;
  };
}
