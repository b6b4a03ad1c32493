import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A proxy that can hold back the replies of the server, like a congested network. */
export class StallableProxy implements AsyncDisposable {
  readonly #server;
  readonly #upstreams = new Set<Socket>();
  readonly #clients = new Set<Socket>();
  #stalled = false;

  private constructor(target: URL) {
    this.#server = createServer((client) => {
      const upstream = connect(Number(target.port), target.hostname);
      this.#clients.add(client);
      this.#upstreams.add(upstream);
      client.pipe(upstream);
      upstream.pipe(client);
      if (this.#stalled) upstream.pause();
      for (const socket of [client, upstream]) {
        socket.on('error', () => undefined);
        socket.on('close', () => {
          client.destroy();
          upstream.destroy();
          this.#clients.delete(client);
          this.#upstreams.delete(upstream);
        });
      }
    });
  }

  static async before(url: string): Promise<StallableProxy> {
    const proxy = new StallableProxy(new URL(url.includes('://') ? url : `nats://${url}`));
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `nats://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stall(): void {
    this.#stalled = true;
    for (const upstream of this.#upstreams) upstream.pause();
  }

  resume(): void {
    this.#stalled = false;
    for (const upstream of this.#upstreams) upstream.resume();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of [...this.#clients, ...this.#upstreams]) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
