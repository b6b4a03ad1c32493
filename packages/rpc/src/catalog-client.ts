import { HeaderName } from '@sluice/contracts';
import type { Logger, TraceSpan } from '@sluice/service';
import type { ListModelsReply } from './generated/sluice/catalog/v1/ListModelsReply.ts';
import type { ListModelsRequestInput } from './generated/sluice/catalog/v1/ListModelsRequest.ts';
import type { ResolveCredentialReply } from './generated/sluice/catalog/v1/ResolveCredentialReply.ts';
import type { ResolveCredentialRequestInput } from './generated/sluice/catalog/v1/ResolveCredentialRequest.ts';
import { logConnections } from './log-connections.ts';
import { catalogProtos } from './protos.ts';
import { ReplicaSet, type ConnectionStates } from './replica-set.ts';
import type { ClientTls } from './rpc-tls.ts';

export interface CatalogClientOptions {
  readonly addresses: readonly string[];
  /** Time limit for a whole call, including attempts at other replicas. */
  readonly deadlineMs: number;
  /** Undefined means without TLS. */
  readonly tls?: ClientTls | undefined;
  readonly logger: Logger;
}

/** The client's request that a call belongs to. */
export interface CallOrigin {
  readonly trace?: TraceSpan | undefined;
  /** The id of the client's request, for log lines. */
  readonly requestId?: string | undefined;
}

/** A failed call rejects with an RpcError. All calls only read, so another replica is tried if one is not reached. */
export interface CatalogClient extends AsyncDisposable {
  resolveCredential(
    request: ResolveCredentialRequestInput,
    origin?: CallOrigin,
  ): Promise<ResolveCredentialReply>;
  listModels(request: ListModelsRequestInput, origin?: CallOrigin): Promise<ListModelsReply>;
  /** Resolves when any replica is reached for the first time. */
  ready(): Promise<void>;
  state(): ConnectionStates;
}

export function connectCatalog({
  addresses,
  deadlineMs,
  tls,
  logger,
}: CatalogClientOptions): CatalogClient {
  const replicas = new ReplicaSet({
    addresses,
    clientClass: catalogProtos().Catalog,
    tls,
    ...logConnections('catalog', logger),
  });
  const options = { deadlineMs, repeatable: true };
  return {
    resolveCredential: (request, origin) =>
      replicas.call({
        ...options,
        ...originOptions(origin),
        name: 'catalog.ResolveCredential',
        send: (client, ...rest) => client.resolveCredential(request, ...rest),
      }),
    listModels: (request, origin) =>
      replicas.call({
        ...options,
        ...originOptions(origin),
        name: 'catalog.ListModels',
        send: (client, ...rest) => client.listModels(request, ...rest),
      }),
    ready: () => replicas.ready(),
    state: () => replicas.states(),
    [Symbol.asyncDispose]: async () => replicas[Symbol.dispose](),
  };
}

function originOptions({ trace, requestId }: CallOrigin = {}) {
  if (requestId === undefined) return { trace };
  return { trace, metadata: { [HeaderName.requestId]: requestId } };
}
