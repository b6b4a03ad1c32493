import { Agent } from 'node:http';
import type { FleetMember } from './fleet.ts';

const CHECK_EVERY_MS = 100;

interface Upstream {
  readonly gateway: FleetMember;
  readonly agent: Agent;
  ready: boolean;
}

/**
 * Sends clients to gateways as a load balancer does: in turn to those that are ready according to /readyz, over
 * connections that are kept alive until the gateway closes them.
 */
export class Balancer implements AsyncDisposable {
  readonly #upstreams: readonly Upstream[];
  readonly #watching: Promise<unknown>;
  readonly #stopped = new AbortController();
  #turn = 0;

  constructor(gateways: readonly FleetMember[]) {
    this.#upstreams = gateways.map((gateway) => ({
      gateway,
      agent: new Agent({ keepAlive: true }),
      ready: true,
    }));
    this.#watching = Promise.all(this.#upstreams.map(async (upstream) => this.#watch(upstream)));
  }

  /** Whether it would send clients to every gateway. */
  get knowsAll(): boolean {
    return this.#upstreams.every(({ ready }) => ready);
  }

  next(): { readonly url: string; readonly agent: Agent } {
    const ready = this.#upstreams.filter((upstream) => upstream.ready);
    this.#turn += 1;
    const upstream = ready[this.#turn % ready.length];
    if (upstream === undefined) throw new Error('no gateway is ready');
    return { url: upstream.gateway.url, agent: upstream.agent };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort();
    await this.#watching;
    for (const { agent } of this.#upstreams) agent.destroy();
  }

  /** Checks one after another, so that an older answer never replaces a newer one. */
  async #watch(upstream: Upstream): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      upstream.ready = await isReady(upstream.gateway);
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(() => resolve(), CHECK_EVERY_MS);
      signal.addEventListener('abort', () => resolve(), { once: true });
      await promise;
      clearTimeout(timer);
    }
  }
}

async function isReady({ readyUrl }: FleetMember): Promise<boolean> {
  try {
    const answer = await fetch(readyUrl);
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false;
  }
}
