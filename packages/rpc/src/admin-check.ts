import { setTimeout as delay } from 'node:timers/promises';
import type { Metadata } from '@grpc/grpc-js';
import type { Logger } from '@sluice/service';
import { AdminLockout } from './admin-lockout.ts';
import { RejectedCallLog } from './refusal-log.ts';
import { RpcError } from './rpc-error.ts';

export interface AdminCheckOptions {
  /** Returns the name of a token, or undefined if the token is unknown. Compares in constant time. */
  readonly authenticate: (token: string) => string | undefined;
  readonly logger: Logger;
  readonly clock?: (() => number) | undefined;
}

/** Lets in only calls with an admin token, and locks out addresses that try many wrong ones. */
export class AdminCheck implements Disposable {
  readonly #authenticate: AdminCheckOptions['authenticate'];
  readonly #rejected: RejectedCallLog;
  readonly #lockout: AdminLockout;

  constructor({ authenticate, logger, clock = () => performance.now() }: AdminCheckOptions) {
    this.#authenticate = authenticate;
    this.#rejected = new RejectedCallLog(logger);
    this.#lockout = new AdminLockout(clock);
  }

  /**
   * Returns the name of the caller's token, or throws. A token is checked and its failure is counted in one turn of the
   * event loop, so that concurrent calls cannot avoid the count.
   */
  async nameOf(call: string, metadata: Metadata, peer: string): Promise<string> {
    const lockedMs = this.#lockout.remainingMs(peer);
    if (lockedMs > 0) {
      this.#rejected.add(call, peer);
      throw new RpcError(
        'resource_exhausted',
        'too many calls without a valid admin token came from this address: ' +
          `every call is refused for another ${Math.ceil(lockedMs / 1_000)} s`,
      );
    }
    const token = bearerToken(metadata);
    const admin = token === undefined ? undefined : this.#authenticate(token);
    if (admin !== undefined) return admin;
    this.#rejected.add(call, peer);
    await delay(this.#lockout.fail(peer), undefined, { ref: false });
    throw new RpcError('unauthenticated', 'a valid admin token is needed');
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
