import {
  RpcError,
  type CatalogConsoleClient,
  type ConsoleCall,
  type ConsoleCaller,
  type ConsoleReply,
  type ConsoleRequestInput,
} from '@sluice/rpc';

interface DoubleCall {
  readonly name: ConsoleCall;
  readonly request: Readonly<Record<string, unknown>>;
  readonly caller: ConsoleCaller | undefined;
}

/**
 * Stands in for the catalog. It knows the accounts that sign in and their session generations, and records every call.
 * `replies` has the replies to further calls. What the real catalog decides is tested in its own folder.
 */
export class CatalogDouble {
  readonly calls: DoubleCall[] = [];
  readonly replies: Partial<Record<ConsoleCall, object>> = {};
  readonly links = new Map<string, string>();
  readonly #generations = new Map<string, number>();

  readonly call: CatalogConsoleClient['call'] = async <Name extends ConsoleCall>(
    name: Name,
    request: ConsoleRequestInput<Name>,
    caller?: ConsoleCaller,
  ): Promise<ConsoleReply<Name>> => {
    const fields: Record<string, unknown> = { ...(request as object) };
    this.calls.push({ name, request: fields, caller });
    if (caller !== undefined && this.#generations.get(caller.account) !== caller.generation) {
      throw refusal('unauthenticated', 'the session was ended', 'session_ended');
    }
    const reply: unknown = this.replies[name] ?? this.#answer(name, fields, caller);
    if (reply instanceof RpcError) throw reply;
    // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- the compiler needs it
    return reply as ConsoleReply<Name>;
  };

  /** Ends all sessions of the account. */
  endSessions(account: string): void {
    this.#generations.set(account, (this.#generations.get(account) ?? 1) + 1);
  }

  #answer(
    name: ConsoleCall,
    request: Readonly<Record<string, unknown>>,
    caller: ConsoleCaller | undefined,
  ): object {
    switch (name) {
      case 'SignIn':
        return this.#beginSession(`account-of-${String(request['subject'])}`);
      case 'RedeemSignInLink': {
        const token = String(request['token']);
        const account = this.links.get(token);
        if (account === undefined) {
          throw refusal('unauthenticated', 'the link is not valid', 'invalid_sign_in_link');
        }
        this.links.delete(token);
        return this.#beginSession(account);
      }
      case 'SignOut':
        this.endSessions(caller?.account ?? '');
        return {};
      case 'WhoAmI':
        return {
          account: caller?.account ?? '',
          name: '',
          email: '',
          access: 'granted',
          onboarding: 'complete',
          restricted: false,
          operator: false,
          organizations: [{ id: 'acme', name: 'Acme', role: 'owner', personal: false }],
        };
      default:
        return {};
    }
  }

  #beginSession(account: string): { readonly account: string; readonly generation: number } {
    const generation = this.#generations.get(account) ?? 1;
    this.#generations.set(account, generation);
    return { account, generation };
  }
}

/** An error as the catalog sends it when it refuses a call. */
function refusal(code: RpcError['code'], message: string, reason?: string): RpcError {
  return new RpcError(code, message, { isAnswer: true, reason });
}
