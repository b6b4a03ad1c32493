import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceProcess, findOnPath, isExecutable, type CertificateFiles } from '@sluice/devkit';
import {
  assertionKeySetting,
  connectCatalogAdmin,
  publicAssertionKey,
  readRpcClientTls,
  type CatalogAdminClient,
} from '@sluice/rpc';
import { LOOPBACK, findFreePort, startProgram, type ChildProgram } from '@sluice/servers';
import { createLogger } from '@sluice/service';
import { readConsoleSettings } from '../../src/config.ts';
import { start, type RunningConsole } from '../../src/start.ts';

const ADMIN_TOKEN = 'operator-token-for-tests';
/** The catalog reports its health over plain HTTP. */
const READY_TIMEOUT_MS = 10_000;

export interface DeploymentOptions {
  /** The authority of all certificates. */
  readonly authority: string;
  readonly server: CertificateFiles;
  readonly client: CertificateFiles;
}

/** A real catalog and a real NATS server that demand certificates, and replicas of the console in this process. */
export interface Deployment extends AsyncDisposable {
  readonly admin: CatalogAdminClient;
  /** Seals the cookies of all replicas. */
  readonly cookieKey: Uint8Array;
  /** The replicas share nothing but their settings. */
  startConsole(environment?: Readonly<Record<string, string>>): Promise<RunningConsole>;
}

export async function startDeployment(options: DeploymentOptions): Promise<Deployment> {
  const { authority, server, client } = options;
  await using starting = new AsyncDisposableStack();
  const nats = starting.use(await startSecuredNats(options));
  const [port, adminPort, healthPort] = [
    await findFreePort(),
    await findFreePort(),
    await findFreePort(),
  ];
  const assertionKey = `console:${randomBytes(32).toString('base64url')}`;
  const onBus = {
    NATS_URL: nats.url,
    NATS_CA_FILE: authority,
    NATS_CERT_FILE: client.certificate,
    NATS_KEY_FILE: client.key,
  };
  starting.use(
    await ServiceProcess.start({
      name: 'catalog',
      entry: 'services/catalog/src/main.ts',
      settings: {
        ...onBus,
        HOST: LOOPBACK,
        PORT: String(port),
        ADMIN_HOST: LOOPBACK,
        ADMIN_PORT: String(adminPort),
        HEALTH_HOST: LOOPBACK,
        HEALTH_PORT: String(healthPort),
        ADMIN_TOKENS: `tests:${ADMIN_TOKEN}`,
        CONSOLE_KEYS: publicAssertionKey(assertionKeySetting().parse(assertionKey)),
        GRPC_TLS: 'true',
        GRPC_CERT_FILE: server.certificate,
        GRPC_KEY_FILE: server.key,
        ADMIN_CLIENT_CA_FILE: authority,
      },
      readyUrl: `http://${LOOPBACK}:${healthPort}/readyz`,
    }),
  );
  const calling = {
    GRPC_TLS: 'true',
    GRPC_CA_FILE: authority,
    GRPC_CERT_FILE: client.certificate,
    GRPC_KEY_FILE: client.key,
  };
  const address = `${LOOPBACK}:${adminPort}`;
  const tls = readRpcClientTls(calling);
  const admin = starting.use(connectCatalogAdmin({ address, token: ADMIN_TOKEN, tls }));
  const cookieKey = randomBytes(32);
  const running = starting.move();
  return {
    admin,
    cookieKey,
    startConsole: async (environment) => {
      const settings = readConsoleSettings({
        HOST: LOOPBACK,
        PORT: '0',
        PUBLIC_URL: 'http://console.test',
        API_URL: 'http://api.test/compat/v1',
        COOKIE_KEYS: cookieKey.toString('base64url'),
        ASSERTION_KEY: assertionKey,
        CATALOG_ADMIN_ADDRESSES: address,
        REQUESTS_PER_MINUTE: '1000000',
        DRAIN_ANNOUNCE_MS: '0',
        ...calling,
        ...onBus,
        ...environment,
      });
      const logger = createLogger({ service: 'console-test', level: 'silent' });
      return running.use(await start(settings, logger));
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

interface SecuredNats extends AsyncDisposable {
  readonly url: string;
}

async function startSecuredNats(options: DeploymentOptions): Promise<SecuredNats> {
  const { authority, server } = options;
  const port = await findFreePort();
  const folder = mkdtempSync(join(tmpdir(), 'sluice-console-nats-'));
  const program: ChildProgram = await startProgram({
    name: 'nats-server',
    program: natsProgram(),
    parameters: [
      '--addr',
      LOOPBACK,
      '--port',
      String(port),
      '--jetstream',
      '--store_dir',
      folder,
      '--tls',
      '--tlscert',
      server.certificate,
      '--tlskey',
      server.key,
      '--tlsverify',
      '--tlscacert',
      authority,
    ],
    readyTimeoutMs: READY_TIMEOUT_MS,
    isReady: () => greets(port),
  });
  return {
    url: `tls://${LOOPBACK}:${port}`,
    [Symbol.asyncDispose]: async () => {
      await program[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The server greets every connection, before it asks for TLS. */
async function greets(port: number): Promise<boolean> {
  const socket = createConnection({ port, host: LOOPBACK });
  try {
    await once(socket, 'data');
    return true;
  } finally {
    socket.destroy();
  }
}

/** The program that the bootstrap has found or unpacked. */
function natsProgram(): string {
  const unpacked = join(import.meta.dirname, '../../../../.tools/servers/bin/nats-server');
  const known = [process.env['SLUICE_NATS_SERVER'] ?? '', unpacked].find(isExecutable);
  const found = known ?? findOnPath(['nats-server'], process.env);
  if (found === undefined) throw new Error('there is no nats-server: run deploy/bootstrap.sh');
  return found;
}
