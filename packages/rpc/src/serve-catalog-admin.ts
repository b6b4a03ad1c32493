import type { handleUnaryCall } from '@grpc/grpc-js';
import type { Logger } from '@sluice/service';
import { AdminCheck } from './admin-check.ts';
import type { CatalogAdminHandlers as GrpcHandlers } from './generated/sluice/catalog/v1/CatalogAdmin.ts';
import type { CreateApiKeyReplyInput } from './generated/sluice/catalog/v1/CreateApiKeyReply.ts';
import type { CreateApiKeyRequest } from './generated/sluice/catalog/v1/CreateApiKeyRequest.ts';
import type { CreateSignInLinkReplyInput } from './generated/sluice/catalog/v1/CreateSignInLinkReply.ts';
import type { CreateSignInLinkRequest } from './generated/sluice/catalog/v1/CreateSignInLinkRequest.ts';
import type { DeletedInput } from './generated/sluice/catalog/v1/Deleted.ts';
import type { IssuePlaygroundTokenReplyInput } from './generated/sluice/catalog/v1/IssuePlaygroundTokenReply.ts';
import type { IssuePlaygroundTokenRequest } from './generated/sluice/catalog/v1/IssuePlaygroundTokenRequest.ts';
import type { ListAuditReplyInput } from './generated/sluice/catalog/v1/ListAuditReply.ts';
import type { ListAuditRequest } from './generated/sluice/catalog/v1/ListAuditRequest.ts';
import type { ListResourcesReplyInput } from './generated/sluice/catalog/v1/ListResourcesReply.ts';
import type { ListResourcesRequest } from './generated/sluice/catalog/v1/ListResourcesRequest.ts';
import type { Resource, ResourceInput } from './generated/sluice/catalog/v1/Resource.ts';
import type { ResourceReference } from './generated/sluice/catalog/v1/ResourceReference.ts';
import type { RevokeApiKeyRequest } from './generated/sluice/catalog/v1/RevokeApiKeyRequest.ts';
import { catalogProtos } from './protos.ts';
import { startRpcServer, type RpcServer, type RpcService } from './rpc-server.ts';
import type { ServerTls } from './rpc-tls.ts';
import { consoleService, type ConsoleServiceOptions } from './serve-catalog-console.ts';
import { unaryHandler } from './unary.ts';

export interface AdminCallContext {
  /** The name of the admin token, recorded as the author of a change. */
  readonly admin: string;
}

type Handler<Request, Reply> = (request: Request, context: AdminCallContext) => Promise<Reply>;

/** A handler throws an RpcError to answer with its code. Any other error becomes `internal` and is logged. */
export interface CatalogAdminHandlers {
  readonly createResource: Handler<Resource, ResourceInput>;
  readonly updateResource: Handler<Resource, ResourceInput>;
  readonly deleteResource: Handler<ResourceReference, DeletedInput>;
  readonly getResource: Handler<ResourceReference, ResourceInput>;
  readonly listResources: Handler<ListResourcesRequest, ListResourcesReplyInput>;
  readonly createApiKey: Handler<CreateApiKeyRequest, CreateApiKeyReplyInput>;
  readonly revokeApiKey: Handler<RevokeApiKeyRequest, ResourceInput>;
  readonly issuePlaygroundToken: Handler<
    IssuePlaygroundTokenRequest,
    IssuePlaygroundTokenReplyInput
  >;
  readonly createSignInLink: Handler<CreateSignInLinkRequest, CreateSignInLinkReplyInput>;
  readonly listAudit: Handler<ListAuditRequest, ListAuditReplyInput>;
}

export interface CatalogAdminServerOptions {
  readonly host: string;
  readonly port: number;
  /** Undefined means without TLS. */
  readonly tls?: ServerTls | undefined;
  readonly handlers: CatalogAdminHandlers;
  /** Returns the name of a token, or undefined if the token is unknown. Compares in constant time. */
  readonly authenticate: (token: string) => string | undefined;
  /** The service for web consoles on the same port. */
  readonly console?: Pick<ConsoleServiceOptions, 'handlers' | 'keys' | 'wallClock'> | undefined;
  /** Further services on the same port. */
  readonly others?: readonly RpcService[];
  readonly logger: Logger;
  readonly clock?: () => number;
}

export async function serveCatalogAdmin(options: CatalogAdminServerOptions): Promise<RpcServer> {
  const { host, port, tls, handlers, authenticate, logger, clock, others = [] } = options;
  const admins = new AdminCheck({ authenticate, logger, clock });

  function authenticated<Request, Reply>(
    method: string,
    handler: Handler<Request, Reply>,
  ): handleUnaryCall<Request, Reply> {
    const name = `catalog.${method}`;
    return unaryHandler({
      name,
      logger,
      handle: async (request, metadata, peer) =>
        handler(request, { admin: await admins.callerOf(name, metadata, peer) }),
    });
  }

  const implementation: GrpcHandlers = {
    CreateResource: authenticated('CreateResource', handlers.createResource),
    UpdateResource: authenticated('UpdateResource', handlers.updateResource),
    DeleteResource: authenticated('DeleteResource', handlers.deleteResource),
    GetResource: authenticated('GetResource', handlers.getResource),
    ListResources: authenticated('ListResources', handlers.listResources),
    CreateApiKey: authenticated('CreateApiKey', handlers.createApiKey),
    RevokeApiKey: authenticated('RevokeApiKey', handlers.revokeApiKey),
    IssuePlaygroundToken: authenticated('IssuePlaygroundToken', handlers.issuePlaygroundToken),
    CreateSignInLink: authenticated('CreateSignInLink', handlers.createSignInLink),
    ListAudit: authenticated('ListAudit', handlers.listAudit),
  };
  const consoles = consoleService({ ...options.console, logger, clock });
  const server = await startRpcServer({
    host,
    port,
    tls,
    services: [
      {
        name: 'sluice.catalog.v1.CatalogAdmin',
        definition: catalogProtos().CatalogAdmin.service,
        implementation,
      },
      consoles.service,
      ...others,
    ],
  });
  return {
    address: server.address,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      admins[Symbol.dispose]();
      consoles[Symbol.dispose]();
    },
  };
}
