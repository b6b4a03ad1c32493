import type { handleUnaryCall } from '@grpc/grpc-js';
import type { Logger } from '@sluice/service';
import { AdminCheck } from './admin-check.ts';
import type { ExplainReplyInput } from './generated/sluice/usage/v1/ExplainReply.ts';
import type { ExplainRequest } from './generated/sluice/usage/v1/ExplainRequest.ts';
import type { GetWebhookSecretReplyInput } from './generated/sluice/usage/v1/GetWebhookSecretReply.ts';
import type { GetWebhookSecretRequest } from './generated/sluice/usage/v1/GetWebhookSecretRequest.ts';
import type { LastUsesReplyInput } from './generated/sluice/usage/v1/LastUsesReply.ts';
import type { LastUsesRequest } from './generated/sluice/usage/v1/LastUsesRequest.ts';
import type { ListBudgetsReplyInput } from './generated/sluice/usage/v1/ListBudgetsReply.ts';
import type { ListBudgetsRequest } from './generated/sluice/usage/v1/ListBudgetsRequest.ts';
import type { ListRequestsReplyInput } from './generated/sluice/usage/v1/ListRequestsReply.ts';
import type { ListRequestsRequest } from './generated/sluice/usage/v1/ListRequestsRequest.ts';
import type { SumUsageReplyInput } from './generated/sluice/usage/v1/SumUsageReply.ts';
import type { SumUsageRequest } from './generated/sluice/usage/v1/SumUsageRequest.ts';
import type { UsageHandlers as GrpcHandlers } from './generated/sluice/usage/v1/Usage.ts';
import { usageProtos } from './protos.ts';
import { startRpcServer, type RpcServer } from './rpc-server.ts';
import type { ServerTls } from './rpc-tls.ts';
import { unaryHandler } from './unary.ts';

/** A handler throws an RpcError to answer with its code. Any other error becomes `internal` and is logged. */
export interface UsageHandlers {
  readonly explain: (request: ExplainRequest) => Promise<ExplainReplyInput>;
  readonly listRequests: (request: ListRequestsRequest) => Promise<ListRequestsReplyInput>;
  readonly sumUsage: (request: SumUsageRequest) => Promise<SumUsageReplyInput>;
  readonly lastUses: (request: LastUsesRequest) => Promise<LastUsesReplyInput>;
  readonly listBudgets: (request: ListBudgetsRequest) => Promise<ListBudgetsReplyInput>;
  /** `by` is the name of the caller's token. */
  readonly getWebhookSecret: (
    request: GetWebhookSecretRequest,
    by: string,
  ) => Promise<GetWebhookSecretReplyInput>;
}

export interface UsageServerOptions {
  readonly host: string;
  readonly port: number;
  /** Undefined means without TLS. */
  readonly tls?: ServerTls | undefined;
  readonly handlers: UsageHandlers;
  /** Returns the name of a token, or undefined if the token is unknown. Compares in constant time. */
  readonly authenticate: (token: string) => string | undefined;
  readonly logger: Logger;
}

export async function serveUsage(options: UsageServerOptions): Promise<RpcServer> {
  const { host, port, tls, handlers, authenticate, logger } = options;
  const admins = new AdminCheck({ authenticate, logger });
  function authenticated<Request, Reply>(
    method: string,
    handler: (request: Request, by: string) => Promise<Reply>,
  ): handleUnaryCall<Request, Reply> {
    const name = `usage.${method}`;
    return unaryHandler({
      name,
      logger,
      handle: async (request, metadata, peer) =>
        handler(request, await admins.callerOf(name, metadata, peer)),
    });
  }
  const implementation: GrpcHandlers = {
    Explain: authenticated('Explain', handlers.explain),
    ListRequests: authenticated('ListRequests', handlers.listRequests),
    SumUsage: authenticated('SumUsage', handlers.sumUsage),
    LastUses: authenticated('LastUses', handlers.lastUses),
    ListBudgets: authenticated('ListBudgets', handlers.listBudgets),
    GetWebhookSecret: authenticated('GetWebhookSecret', handlers.getWebhookSecret),
  };
  const server = await startRpcServer({
    host,
    port,
    tls,
    services: [
      { name: 'sluice.usage.v1.Usage', definition: usageProtos().Usage.service, implementation },
    ],
  });
  return {
    address: server.address,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      admins[Symbol.dispose]();
    },
  };
}
