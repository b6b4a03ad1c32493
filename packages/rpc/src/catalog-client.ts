import { HeaderName } from '@sluice/contracts';
import type { Logger, TraceSpan } from '@sluice/telemetry';
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
  /** For a whole call, with every replica that it may ask. */
  readonly deadlineMs: number;
  /** Undefined is in the clear. */
  readonly tls?: ClientTls | undefined;
  readonly logger: Logger;
}

/** On whose behalf something is asked. */
export interface Asker {
  readonly trace?: TraceSpan | undefined;
  /** The client's request, for log lines. */
  readonly requestId?: string | undefined;
}

/** Every call rejects with an RpcError. All are reads, so another replica is asked when one is not reached. */
export interface CatalogClient extends AsyncDisposable {
  resolveCredential(
    request: ResolveCredentialRequestInput,
    asker?: Asker,
  ): Promise<ResolveCredentialReply>;
  listModels(request: ListModelsRequestInput, asker?: Asker): Promise<ListModelsReply>;
  /** Resolves at the first contact with any replica. */
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
    resolveCredential: (request, asker) =>
      replicas.call({
        ...options,
        ...asking(asker),
        name: 'catalog.ResolveCredential',
        send: (client, ...rest) => client.resolveCredential(request, ...rest),
      }),
    listModels: (request, asker) =>
      replicas.call({
        ...options,
        ...asking(asker),
        name: 'catalog.ListModels',
        send: (client, ...rest) => client.listModels(request, ...rest),
      }),
    ready: () => replicas.ready(),
    state: () => replicas.states(),
    [Symbol.asyncDispose]: async () => replicas[Symbol.dispose](),
  };
}

function asking({ trace, requestId }: Asker = {}) {
  if (requestId === undefined) return { trace };
  return { trace, metadata: { [HeaderName.requestId]: requestId } };
}
