import type { handleUnaryCall } from '@grpc/grpc-js';
import type { Logger } from '@sluice/service';
import { AdminCheck } from './admin-check.ts';
import type { CatalogBudgetsHandlers as GrpcHandlers } from './generated/sluice/catalog/v1/CatalogBudgets.ts';
import type { ReadBudgetsReplyInput } from './generated/sluice/catalog/v1/ReadBudgetsReply.ts';
import type { ReadBudgetsRequest } from './generated/sluice/catalog/v1/ReadBudgetsRequest.ts';
import type { SetBudgetStopReplyInput } from './generated/sluice/catalog/v1/SetBudgetStopReply.ts';
import type { SetBudgetStopRequest } from './generated/sluice/catalog/v1/SetBudgetStopRequest.ts';
import { budgetProtos } from './protos.ts';
import type { RpcService } from './rpc-server.ts';
import { unaryHandler } from './unary.ts';

/** A handler throws an RpcError to answer with its code. Any other error becomes `internal` and is logged. */
export interface CatalogBudgetsHandlers {
  readonly readBudgets: (request: ReadBudgetsRequest) => Promise<ReadBudgetsReplyInput>;
  /** `by` is the name of the caller's token. */
  readonly setBudgetStop: (
    request: SetBudgetStopRequest,
    by: string,
  ) => Promise<SetBudgetStopReplyInput>;
}

export interface BudgetsServiceOptions {
  readonly handlers: CatalogBudgetsHandlers;
  /** Returns the name of a token, or undefined if the token is unknown. Compares in constant time. */
  readonly authenticate: (token: string) => string | undefined;
  readonly logger: Logger;
}

/** The service of the catalog that the usage service calls. It is served on the admin port. */
export function budgetsService({
  handlers,
  authenticate,
  logger,
}: BudgetsServiceOptions): RpcService & Disposable {
  const callers = new AdminCheck({ authenticate, logger });
  function authenticated<Request, Reply>(
    method: string,
    handler: (request: Request, by: string) => Promise<Reply>,
  ): handleUnaryCall<Request, Reply> {
    const name = `catalog.${method}`;
    return unaryHandler({
      name,
      logger,
      handle: async (request, metadata, peer) =>
        handler(request, await callers.callerOf(name, metadata, peer)),
    });
  }
  const implementation: GrpcHandlers = {
    ReadBudgets: authenticated('ReadBudgets', handlers.readBudgets),
    SetBudgetStop: authenticated('SetBudgetStop', handlers.setBudgetStop),
  };
  return {
    name: 'sluice.catalog.v1.CatalogBudgets',
    definition: budgetProtos().CatalogBudgets.service,
    implementation,
    [Symbol.dispose]: () => callers[Symbol.dispose](),
  };
}
