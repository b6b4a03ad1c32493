import type { KeyObject } from 'node:crypto';
import type { UntypedHandleCall } from '@grpc/grpc-js';
import type { Logger } from '@sluice/service';
import { AdminCheck } from './admin-check.ts';
import {
  verifyAssertion,
  type ConsoleCaller,
  type VerifiedAssertion,
} from './console-assertion.ts';
import {
  CONSOLE_CALLS,
  type ConsoleCall,
  type ConsoleReplyInput,
  type ConsoleRequest,
} from './console-calls.ts';
import { consoleProtos } from './protos.ts';
import { RpcError } from './rpc-error.ts';
import type { RpcService } from './rpc-server.ts';
import { unaryHandler } from './unary.ts';

/**
 * The handlers by the names of the calls. A handler throws an RpcError to answer with its code. The caller is the
 * account that is signed in, according to the console. The handler decides whether this account may make the call.
 */
export type CatalogConsoleHandlers = {
  readonly [Name in ConsoleCall]: (
    request: ConsoleRequest<Name>,
    caller: ConsoleCaller | undefined,
  ) => Promise<ConsoleReplyInput<Name>>;
};

export interface ConsoleServiceOptions {
  /** Without handlers and keys, every call is refused as not implemented. */
  readonly handlers?: CatalogConsoleHandlers;
  /** The public keys of consoles by name. */
  readonly keys?: ReadonlyMap<string, KeyObject>;
  readonly logger: Logger;
  readonly clock?: (() => number) | undefined;
  readonly wallClock?: () => number;
}

interface ConsoleService extends Disposable {
  readonly service: RpcService;
}

export function consoleService({
  handlers,
  keys,
  logger,
  clock,
  wallClock = Date.now,
}: ConsoleServiceOptions): ConsoleService {
  const consoles = new AdminCheck<VerifiedAssertion>({
    authenticate: (token, call) =>
      keys && verifyAssertion(token, { keys, call, nowMs: wallClock() }),
    credential: 'assertion of a console',
    logger,
    clock,
  });
  function authenticated<Name extends ConsoleCall>(
    name: Name,
    handler: CatalogConsoleHandlers[Name] | undefined,
  ): UntypedHandleCall {
    return unaryHandler<ConsoleRequest<Name>, ConsoleReplyInput<Name>>({
      name: `catalog.console.${name}`,
      logger,
      handle: async (request, metadata, peer) => {
        if (handler === undefined || keys === undefined) {
          throw new RpcError(
            'unimplemented',
            'this catalog serves no console: its setting CONSOLE_KEYS is unset',
          );
        }
        const { caller } = await consoles.callerOf(name, metadata, peer);
        return handler(request, caller);
      },
    });
  }
  return {
    service: {
      name: 'sluice.catalog.v1.CatalogConsole',
      definition: consoleProtos().CatalogConsole.service,
      implementation: Object.fromEntries(
        CONSOLE_CALLS.map((name) => [name, authenticated(name, handlers?.[name])]),
      ),
    },
    [Symbol.dispose]: () => consoles[Symbol.dispose](),
  };
}
