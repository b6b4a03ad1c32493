import {
  Server,
  type ServerCredentials,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import { SERVER_SETTINGS } from './channel-settings.ts';
import { RpcError } from './rpc-error.ts';
import { serverCredentials, type ServerTls } from './rpc-tls.ts';

/** A running gRPC server. Disposing of it lets calls in flight end first. */
export interface RpcServer extends AsyncDisposable {
  /** `host:port`, with the port that was actually bound. */
  readonly address: string;
}

export interface RpcService {
  /** The full name of the service, as the health service reports it. */
  readonly name: string;
  readonly definition: ServiceDefinition;
  readonly implementation: UntypedServiceImplementation;
}

export interface RpcServerOptions {
  readonly host: string;
  readonly port: number;
  /** Undefined means without TLS. */
  readonly tls?: ServerTls | undefined;
  readonly services: readonly RpcService[];
  /** How long calls in flight may take to end. */
  readonly drainMs?: number;
  /** Asks long-lived streams to end. Called when draining begins. */
  readonly onDrain?: () => void;
}

const DEFAULT_DRAIN_MS = 5_000;

export async function startRpcServer(options: RpcServerOptions): Promise<RpcServer> {
  const { host, port, tls, services, onDrain } = options;
  const server = new Server(SERVER_SETTINGS);
  const names = ['', ...services.map((service) => service.name)];
  const health = new HealthImplementation(
    Object.fromEntries(names.map((served) => [served, 'SERVING'])),
  );
  for (const { definition, implementation } of services) {
    server.addService(definition, implementation);
  }
  health.addToServer(server);
  const name = host.includes(':') ? `[${host}]` : host;
  const bound = await bind(server, `${name}:${port}`, serverCredentials(tls));

  let closing: Promise<void> | undefined;
  const close = async () => {
    for (const served of names) health.setStatus(served, 'NOT_SERVING');
    const { promise: drained, resolve } = Promise.withResolvers<void>();
    onDrain?.();
    server.tryShutdown(() => resolve());
    const timer = setTimeout(() => {
      server.forceShutdown();
      // gRPC does not track a connection that never began its TLS handshake. Such a connection would delay the shutdown
      // by two minutes.
      resolve();
    }, options.drainMs ?? DEFAULT_DRAIN_MS);
    await drained;
    clearTimeout(timer);
  };
  return {
    address: `${name}:${bound}`,
    [Symbol.asyncDispose]: () => (closing ??= close()),
  };
}

async function bind(
  server: Server,
  address: string,
  credentials: ServerCredentials,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.bindAsync(address, credentials, (error, port) => {
    if (error === null) resolve(port);
    else reject(new RpcError('unavailable', `cannot listen on ${address}`, { cause: error }));
  });
  return promise;
}
