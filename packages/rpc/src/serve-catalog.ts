import type { Logger } from '@sluice/service';
import type { CatalogHandlers as GrpcHandlers } from './generated/sluice/catalog/v1/Catalog.ts';
import type { ListModelsReplyInput } from './generated/sluice/catalog/v1/ListModelsReply.ts';
import type { ListModelsRequest } from './generated/sluice/catalog/v1/ListModelsRequest.ts';
import type { ResolveCredentialReplyInput } from './generated/sluice/catalog/v1/ResolveCredentialReply.ts';
import type { ResolveCredentialRequest } from './generated/sluice/catalog/v1/ResolveCredentialRequest.ts';
import { catalogProtos } from './protos.ts';
import { startRpcServer, type RpcServer } from './rpc-server.ts';
import type { ServerTls } from './rpc-tls.ts';
import { unaryHandler } from './unary.ts';

/** A handler throws an RpcError to answer with its code. Any other error becomes `internal` and is logged. */
export interface CatalogHandlers {
  resolveCredential(request: ResolveCredentialRequest): Promise<ResolveCredentialReplyInput>;
  listModels(request: ListModelsRequest): Promise<ListModelsReplyInput>;
}

export interface CatalogServerOptions {
  readonly host: string;
  readonly port: number;
  /** Undefined means without TLS. */
  readonly tls?: ServerTls | undefined;
  readonly handlers: CatalogHandlers;
  readonly logger: Logger;
}

export function serveCatalog({
  host,
  port,
  tls,
  handlers,
  logger,
}: CatalogServerOptions): Promise<RpcServer> {
  const implementation: GrpcHandlers = {
    ResolveCredential: unaryHandler({
      name: 'catalog.ResolveCredential',
      logger,
      handle: (request: ResolveCredentialRequest) => handlers.resolveCredential(request),
    }),
    ListModels: unaryHandler({
      name: 'catalog.ListModels',
      logger,
      handle: (request: ListModelsRequest) => handlers.listModels(request),
    }),
  };
  return startRpcServer({
    host,
    port,
    tls,
    services: [
      {
        name: 'sluice.catalog.v1.Catalog',
        definition: catalogProtos().Catalog.service,
        implementation,
      },
    ],
  });
}
