import type { MethodDefinition } from '@grpc/proto-loader';
import type { Logger } from '@sluice/service';
import { signAssertion, type AssertionKey, type ConsoleCaller } from './console-assertion.ts';
import {
  onlyReads,
  type ConsoleCall,
  type ConsoleReply,
  type ConsoleReplyInput,
  type ConsoleRequest,
  type ConsoleRequestInput,
} from './console-calls.ts';
import { logConnections } from './log-connections.ts';
import { consoleProtos } from './protos.ts';
import { ReplicaSet, type ConnectionStates } from './replica-set.ts';
import type { ClientTls } from './rpc-tls.ts';

export interface CatalogConsoleClientOptions {
  /** The admin ports of all catalogs. */
  readonly addresses: readonly string[];
  readonly key: AssertionKey;
  /** Undefined means without TLS. */
  readonly tls?: ClientTls | undefined;
  readonly logger: Logger;
  readonly wallClock?: () => number;
}

/** A failed call rejects with an RpcError, whose `reason` says why the catalog refused it. No change is sent twice. */
export interface CatalogConsoleClient extends AsyncDisposable {
  /** The caller is undefined only for calls that need no session. */
  call<Name extends ConsoleCall>(
    name: Name,
    request: ConsoleRequestInput<Name>,
    caller?: ConsoleCaller,
  ): Promise<ConsoleReply<Name>>;
  /** Resolves when any replica is reached for the first time. */
  ready(): Promise<void>;
  state(): ConnectionStates;
}

type Methods = {
  readonly [Name in ConsoleCall]: MethodDefinition<
    ConsoleRequestInput<Name>,
    ConsoleReplyInput<Name>,
    ConsoleRequest<Name>,
    ConsoleReply<Name>
  >;
};

const DEADLINE_MS = 10_000;

export function connectCatalogConsole({
  addresses,
  key,
  tls,
  logger,
  wallClock = Date.now,
}: CatalogConsoleClientOptions): CatalogConsoleClient {
  const { CatalogConsole } = consoleProtos();
  const methods: Methods = CatalogConsole.service;
  const replicas = new ReplicaSet({
    addresses,
    clientClass: CatalogConsole,
    tls,
    ...logConnections('catalog', logger),
  });
  return {
    call: <Name extends ConsoleCall>(
      name: Name,
      request: ConsoleRequestInput<Name>,
      caller?: ConsoleCaller,
    ) => {
      const { path, requestSerialize, responseDeserialize }: Methods[Name] = methods[name];
      const assertion = signAssertion(key, { call: name, caller, nowMs: wallClock() });
      return replicas.call<ConsoleReply<Name>>({
        name: `catalog.console.${name}`,
        deadlineMs: DEADLINE_MS,
        repeatable: onlyReads(name),
        metadata: { authorization: `Bearer ${assertion}` },
        send: (client, ...rest) =>
          client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, ...rest),
      });
    },
    ready: () => replicas.ready(),
    state: () => replicas.states(),
    [Symbol.asyncDispose]: async () => replicas[Symbol.dispose](),
  };
}
