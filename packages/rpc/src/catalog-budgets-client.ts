import type { ReadBudgetsReply } from './generated/sluice/catalog/v1/ReadBudgetsReply.ts';
import type { ReadBudgetsRequestInput } from './generated/sluice/catalog/v1/ReadBudgetsRequest.ts';
import type { SetBudgetStopReply } from './generated/sluice/catalog/v1/SetBudgetStopReply.ts';
import type { SetBudgetStopRequestInput } from './generated/sluice/catalog/v1/SetBudgetStopRequest.ts';
import { budgetProtos } from './protos.ts';
import { ReplicaSet } from './replica-set.ts';
import type { ClientTls } from './rpc-tls.ts';

export interface CatalogBudgetsClientOptions {
  /** The admin ports of the catalogs. */
  readonly addresses: readonly string[];
  readonly token: string;
  /** Undefined means without TLS. */
  readonly tls?: ClientTls | undefined;
}

/** A failed call rejects with an RpcError. Both calls may be repeated. */
export interface CatalogBudgetsClient extends Disposable {
  readBudgets(request: ReadBudgetsRequestInput): Promise<ReadBudgetsReply>;
  setBudgetStop(request: SetBudgetStopRequestInput): Promise<SetBudgetStopReply>;
}

const DEADLINE_MS = 10_000;

export function connectCatalogBudgets({
  addresses,
  token,
  tls,
}: CatalogBudgetsClientOptions): CatalogBudgetsClient {
  const connection = new ReplicaSet({
    addresses,
    clientClass: budgetProtos().CatalogBudgets,
    tls,
  });
  const options = {
    deadlineMs: DEADLINE_MS,
    repeatable: true,
    metadata: { authorization: `Bearer ${token}` },
  };
  return {
    readBudgets: (request) =>
      connection.call({
        ...options,
        name: 'catalog.ReadBudgets',
        send: (client, ...rest) => client.readBudgets(request, ...rest),
      }),
    setBudgetStop: (request) =>
      connection.call({
        ...options,
        name: 'catalog.SetBudgetStop',
        send: (client, ...rest) => client.setBudgetStop(request, ...rest),
      }),
    [Symbol.dispose]: () => connection[Symbol.dispose](),
  };
}
