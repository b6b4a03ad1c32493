import { Agent } from 'node:http';
import type { FleetMember } from './fleet.ts';

const CHECK_EVERY_MS = 100;

interface Door {
  readonly gateway: FleetMember;
  readonly agent: Agent;
  ready: boolean;
}

/**
 * Sends clients to gateways as a load balancer does: in turn to those whose /readyz says so, over connections
 * that are kept alive until the gateway closes them.
 */
export class Balancer implements AsyncDisposable {
  readonly #doors: readonly Door[];
  readonly #looking: Promise<unknown>;
  readonly #stopped = new AbortController();
  #turn = 0;

  constructor(gateways: readonly FleetMember[]) {
    this.#doors = gateways.map((gateway) => ({
      gateway,
      agent: new Agent({ keepAlive: true }),
      ready: true,
    }));
    this.#looking = Promise.all(this.#doors.map(async (door) => this.#watch(door)));
  }

  /** Whether it would send clients to every gateway. */
  get knowsAll(): boolean {
    return this.#doors.every(({ ready }) => ready);
  }

  next(): { readonly url: string; readonly agent: Agent } {
    const ready = this.#doors.filter((door) => door.ready);
    this.#turn += 1;
    const door = ready[this.#turn % ready.length];
    if (door === undefined) throw new Error('no gateway is ready');
    return { url: door.gateway.url, agent: door.agent };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort();
    await this.#looking;
    for (const { agent } of this.#doors) agent.destroy();
  }

  /** One look after another, so that the newest counts. */
  async #watch(door: Door): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      door.ready = await isReady(door.gateway);
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
