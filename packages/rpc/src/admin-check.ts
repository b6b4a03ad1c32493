import { setTimeout as delay } from 'node:timers/promises';
import type { Metadata } from '@grpc/grpc-js';
import type { Logger } from '@sluice/service';
import { AdminLockout } from './admin-lockout.ts';
import { RejectedCallLog } from './rejected-call-log.ts';
import { RpcError } from './rpc-error.ts';

export interface AdminCheckOptions<Caller> {
  /** Returns the owner of this token, or undefined if the token is not valid. Compares in constant time. */
  readonly authenticate: (token: string, call: string) => Caller | undefined;
  /** The name of the token in error messages. */
  readonly credential?: string;
  readonly logger: Logger;
  readonly clock?: (() => number) | undefined;
}

/** Lets in only calls with a valid token, and locks out addresses that try many wrong ones. */
export class AdminCheck<Caller> implements Disposable {
  readonly #authenticate: AdminCheckOptions<Caller>['authenticate'];
  readonly #credential: string;
  readonly #rejected: RejectedCallLog;
  readonly #lockout: AdminLockout;

  constructor({
    authenticate,
    credential = 'admin token',
    logger,
    clock = () => performance.now(),
  }: AdminCheckOptions<Caller>) {
    this.#authenticate = authenticate;
    this.#credential = credential;
    this.#rejected = new RejectedCallLog(logger);
    this.#lockout = new AdminLockout(clock);
  }

  /**
   * Returns the caller, or throws. A token is checked and its failure is counted in one turn of the event loop, so that
   * concurrent calls cannot avoid the count.
   */
  async callerOf(call: string, metadata: Metadata, peer: string): Promise<Caller> {
    const lockedMs = this.#lockout.remainingMs(peer);
    if (lockedMs > 0) {
      this.#rejected.add(call, peer);
      throw new RpcError(
        'resource_exhausted',
        `too many calls without a valid ${this.#credential} came from this address: ` +
          `every call is refused for another ${Math.ceil(lockedMs / 1_000)} s`,
      );
    }
    const token = bearerToken(metadata);
    const caller = token === undefined ? undefined : this.#authenticate(token, call);
    if (caller !== undefined) return caller;
    this.#rejected.add(call, peer);
    await delay(this.#lockout.fail(peer), undefined, { ref: false });
    throw new RpcError('unauthenticated', `a valid ${this.#credential} is needed`);
  }

  [Symbol.dispose](): void {
    this.#rejected[Symbol.dispose]();
  }
}

function bearerToken(metadata: Metadata): string | undefined {
  const [header] = metadata.get('authorization');
  if (typeof header !== 'string') return undefined;
  return /^Bearer (\S+)$/i.exec(header)?.[1];
}
