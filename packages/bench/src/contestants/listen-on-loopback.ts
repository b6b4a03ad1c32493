import { Server } from 'node:net';

/**
 * Preloaded into a contestant that would otherwise listen on every address of the machine. A benchmark must not be
 * reachable from the network. It runs once at the start and costs nothing afterwards.
 */
Server.prototype.listen = new Proxy(
  // oxlint-disable-next-line typescript/unbound-method -- called below with the server it belongs to
  Server.prototype.listen,
  {
    apply: (listen, server: Server, parameters: unknown[]): unknown => {
      const [port, ...rest] = parameters;
      if (typeof port !== 'number') return Reflect.apply(listen, server, parameters);
      const callback = rest.find((value) => typeof value === 'function');
      return Reflect.apply(listen, server, [{ port, host: '127.0.0.1' }, callback]);
    },
  },
);
