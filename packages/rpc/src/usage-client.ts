import type { ExplainReply } from './generated/sluice/usage/v1/ExplainReply.ts';
import type { ExplainRequestInput } from './generated/sluice/usage/v1/ExplainRequest.ts';
import type { GetWebhookSecretReply } from './generated/sluice/usage/v1/GetWebhookSecretReply.ts';
import type { GetWebhookSecretRequestInput } from './generated/sluice/usage/v1/GetWebhookSecretRequest.ts';
import type { LastUsesReply } from './generated/sluice/usage/v1/LastUsesReply.ts';
import type { LastUsesRequestInput } from './generated/sluice/usage/v1/LastUsesRequest.ts';
import type { ListBudgetsReply } from './generated/sluice/usage/v1/ListBudgetsReply.ts';
import type { ListBudgetsRequestInput } from './generated/sluice/usage/v1/ListBudgetsRequest.ts';
import type { ListRequestsReply } from './generated/sluice/usage/v1/ListRequestsReply.ts';
import type { ListRequestsRequestInput } from './generated/sluice/usage/v1/ListRequestsRequest.ts';
import type { SumUsageReply } from './generated/sluice/usage/v1/SumUsageReply.ts';
import type { SumUsageRequestInput } from './generated/sluice/usage/v1/SumUsageRequest.ts';
import { usageProtos } from './protos.ts';
import { ReplicaSet } from './replica-set.ts';
import type { ClientTls } from './rpc-tls.ts';

export interface UsageClientOptions {
  readonly address: string;
  readonly token: string;
  /** Undefined means without TLS. */
  readonly tls?: ClientTls | undefined;
}

/** A failed call rejects with an RpcError. */
export interface UsageClient extends AsyncDisposable {
  explain(request: ExplainRequestInput): Promise<ExplainReply>;
  listRequests(request: ListRequestsRequestInput): Promise<ListRequestsReply>;
  sumUsage(request: SumUsageRequestInput): Promise<SumUsageReply>;
  lastUses(request: LastUsesRequestInput): Promise<LastUsesReply>;
  listBudgets(request: ListBudgetsRequestInput): Promise<ListBudgetsReply>;
  getWebhookSecret(request: GetWebhookSecretRequestInput): Promise<GetWebhookSecretReply>;
  /** Resolves when the server is reached for the first time. */
  ready(): Promise<void>;
}

/** Reports over many records take seconds. */
const DEADLINE_MS = 30_000;

export function connectUsage({ address, token, tls }: UsageClientOptions): UsageClient {
  const connection = new ReplicaSet({
    addresses: [address],
    clientClass: usageProtos().Usage,
    tls,
  });
  const options = {
    deadlineMs: DEADLINE_MS,
    repeatable: true,
    metadata: { authorization: `Bearer ${token}` },
  };
  return {
    explain: (request) =>
      connection.call({
        ...options,
        name: 'usage.Explain',
        send: (client, ...rest) => client.explain(request, ...rest),
      }),
    listRequests: (request) =>
      connection.call({
        ...options,
        name: 'usage.ListRequests',
        send: (client, ...rest) => client.listRequests(request, ...rest),
      }),
    sumUsage: (request) =>
      connection.call({
        ...options,
        name: 'usage.SumUsage',
        send: (client, ...rest) => client.sumUsage(request, ...rest),
      }),
    lastUses: (request) =>
      connection.call({
        ...options,
        name: 'usage.LastUses',
        send: (client, ...rest) => client.lastUses(request, ...rest),
      }),
    listBudgets: (request) =>
      connection.call({
        ...options,
        name: 'usage.ListBudgets',
        send: (client, ...rest) => client.listBudgets(request, ...rest),
      }),
    getWebhookSecret: (request) =>
      connection.call({
        ...options,
        name: 'usage.GetWebhookSecret',
        send: (client, ...rest) => client.getWebhookSecret(request, ...rest),
      }),
    ready: () => connection.ready(),
    [Symbol.asyncDispose]: async () => connection[Symbol.dispose](),
  };
}
