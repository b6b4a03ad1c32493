import type { Metadata, CallOptions, ClientUnaryCall, requestCallback } from '@grpc/grpc-js';
import type { CatalogAdminClient as GrpcClient } from './generated/sluice/catalog/v1/CatalogAdmin.ts';
import type { CreateApiKeyReply } from './generated/sluice/catalog/v1/CreateApiKeyReply.ts';
import type { CreateApiKeyRequestInput } from './generated/sluice/catalog/v1/CreateApiKeyRequest.ts';
import type { CreateSignInLinkReply } from './generated/sluice/catalog/v1/CreateSignInLinkReply.ts';
import type { CreateSignInLinkRequestInput } from './generated/sluice/catalog/v1/CreateSignInLinkRequest.ts';
import type { Deleted } from './generated/sluice/catalog/v1/Deleted.ts';
import type { IssuePlaygroundTokenReply } from './generated/sluice/catalog/v1/IssuePlaygroundTokenReply.ts';
import type { IssuePlaygroundTokenRequestInput } from './generated/sluice/catalog/v1/IssuePlaygroundTokenRequest.ts';
import type { ListAuditReply } from './generated/sluice/catalog/v1/ListAuditReply.ts';
import type { ListAuditRequestInput } from './generated/sluice/catalog/v1/ListAuditRequest.ts';
import type { ListResourcesReply } from './generated/sluice/catalog/v1/ListResourcesReply.ts';
import type { ListResourcesRequestInput } from './generated/sluice/catalog/v1/ListResourcesRequest.ts';
import type { Resource, ResourceInput } from './generated/sluice/catalog/v1/Resource.ts';
import type { ResourceReferenceInput } from './generated/sluice/catalog/v1/ResourceReference.ts';
import type { RevokeApiKeyRequestInput } from './generated/sluice/catalog/v1/RevokeApiKeyRequest.ts';
import { catalogProtos } from './protos.ts';
import { ReplicaSet } from './replica-set.ts';
import type { ClientTls } from './rpc-tls.ts';

export interface CatalogAdminClientOptions {
  readonly address: string;
  readonly token: string;
  /** Undefined means without TLS. */
  readonly tls?: ClientTls | undefined;
}

type Call<Request, Reply> = (request: Request) => Promise<Reply>;

/** A failed call rejects with an RpcError. A change is never sent twice. */
export interface CatalogAdminClient extends AsyncDisposable {
  readonly createResource: Call<ResourceInput, Resource>;
  readonly updateResource: Call<ResourceInput, Resource>;
  readonly deleteResource: Call<ResourceReferenceInput, Deleted>;
  readonly getResource: Call<ResourceReferenceInput, Resource>;
  readonly listResources: Call<ListResourcesRequestInput, ListResourcesReply>;
  readonly createApiKey: Call<CreateApiKeyRequestInput, CreateApiKeyReply>;
  readonly revokeApiKey: Call<RevokeApiKeyRequestInput, Resource>;
  readonly issuePlaygroundToken: Call<IssuePlaygroundTokenRequestInput, IssuePlaygroundTokenReply>;
  readonly createSignInLink: Call<CreateSignInLinkRequestInput, CreateSignInLinkReply>;
  readonly listAudit: Call<ListAuditRequestInput, ListAuditReply>;
  /** Resolves when the server is reached for the first time. */
  ready(): Promise<void>;
}

const DEADLINE_MS = 10_000;

export function connectCatalogAdmin({
  address,
  token,
  tls,
}: CatalogAdminClientOptions): CatalogAdminClient {
  const connection = new ReplicaSet<GrpcClient>({
    addresses: [address],
    clientClass: catalogProtos().CatalogAdmin,
    tls,
  });
  const metadata = { authorization: `Bearer ${token}` };

  function call<Request, Reply>(
    method: string,
    send: (
      client: GrpcClient,
      request: Request,
      ...rest: [Metadata, CallOptions, requestCallback<Reply>]
    ) => ClientUnaryCall,
  ): Call<Request, Reply> {
    return (request) =>
      connection.call({
        name: `catalog.${method}`,
        deadlineMs: DEADLINE_MS,
        repeatable: false,
        metadata,
        send: (client, ...rest) => send(client, request, ...rest),
      });
  }

  return {
    createResource: call('CreateResource', (client, ...rest) => client.createResource(...rest)),
    updateResource: call('UpdateResource', (client, ...rest) => client.updateResource(...rest)),
    deleteResource: call('DeleteResource', (client, ...rest) => client.deleteResource(...rest)),
    getResource: call('GetResource', (client, ...rest) => client.getResource(...rest)),
    listResources: call('ListResources', (client, ...rest) => client.listResources(...rest)),
    createApiKey: call('CreateApiKey', (client, ...rest) => client.createApiKey(...rest)),
    revokeApiKey: call('RevokeApiKey', (client, ...rest) => client.revokeApiKey(...rest)),
    issuePlaygroundToken: call('IssuePlaygroundToken', (client, ...rest) =>
      client.issuePlaygroundToken(...rest),
    ),
    createSignInLink: call('CreateSignInLink', (client, ...rest) =>
      client.createSignInLink(...rest),
    ),
    listAudit: call('ListAudit', (client, ...rest) => client.listAudit(...rest)),
    ready: () => connection.ready(),
    [Symbol.asyncDispose]: async () => connection[Symbol.dispose](),
  };
}
