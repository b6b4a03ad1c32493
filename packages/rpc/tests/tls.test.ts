import { once } from 'node:events';
import { createConnection } from 'node:net';
import { useCertificates, useLeakCheck, waitUntil, type CertificateFiles } from '@sluice/devkit';
import {
  connectCatalog,
  connectCatalogAdmin,
  connectQuota,
  readRpcClientTls,
  rpcServerTls,
  serveCatalog,
  serveCatalogAdmin,
  serveQuota,
  type CatalogAdminHandlers,
  type ClientTls,
  type RpcServer,
  type ServerTls,
} from '@sluice/rpc';
import { createLogger } from '@sluice/service';
import { beforeEach, describe, expect, it } from 'vitest';
import { QUOTA_SERVICE } from '../src/quota-service.ts';
import { startRpcServer } from '../src/rpc-server.ts';
import { admission } from './replica-handlers.ts';

useLeakCheck();
const { authority, otherAuthority, server, client, elsewhere, expired, stranger } =
  useCertificates();

interface Line {
  readonly fault?: string;
}

let written: Line[] = [];
const logger = createLogger({
  service: 'test',
  level: 'warn',
  destination: { write: (line) => void written.push(JSON.parse(line) as Line) },
});
beforeEach(() => {
  written = [];
});
const faults = () => written.filter(({ fault }) => fault !== undefined);

function serverTls({ certificate, key }: CertificateFiles, clientAuthority?: string): ServerTls {
  const tls = rpcServerTls({
    GRPC_TLS: true,
    GRPC_CERT_FILE: certificate,
    GRPC_KEY_FILE: key,
    ...(clientAuthority === undefined ? {} : { GRPC_CLIENT_CA_FILE: clientAuthority }),
  });
  if (tls === undefined) throw new Error('TLS is on');
  return tls;
}

function clientTls(trusted: string, shown?: CertificateFiles): ClientTls | undefined {
  return readRpcClientTls({
    GRPC_TLS: 'true',
    GRPC_CA_FILE: trusted,
    GRPC_CERT_FILE: shown?.certificate,
    GRPC_KEY_FILE: shown?.key,
  });
}

const ADMISSION = admission('acme');
const WINDOWS = {
  requests_per_minute: null,
  requests_per_day: null,
  tokens_per_minute: null,
  tokens_per_day: null,
};

function quotaAt(tls: ServerTls | undefined, port = 0): Promise<RpcServer> {
  const admitted = async () => ({ outcome: 'admitted' as const, windows: WINDOWS, decidedAtMs: 0 });
  const handlers = { admit: admitted, peek: admitted };
  return serveQuota({ host: '127.0.0.1', port, tls, handlers, logger });
}

function catalogAt(tls: ServerTls | undefined): Promise<RpcServer> {
  const handlers = {
    resolveCredential: async () => ({}),
    listModels: async () => ({ models: [{ id: 'a model' }] }),
  };
  return serveCatalog({ host: '127.0.0.1', port: 0, tls, handlers, logger });
}

function toQuota(address: string, tls: ClientTls | undefined) {
  return connectQuota({ addresses: [address], deadlineMs: 5_000, tls, logger });
}

const portOf = (address: string) => Number(address.slice(address.lastIndexOf(':') + 1));
const byName = (address: string) => `localhost:${portOf(address)}`;

describe('a server with TLS', () => {
  it('is called by IP address and by name, by clients that trust its certificate', async () => {
    await using quota = await quotaAt(serverTls(server));
    for (const address of [quota.address, byName(quota.address)]) {
      await using calling = toQuota(address, clientTls(authority));
      await calling.ready();
      expect(await calling.admit(ADMISSION)).toMatchObject({ outcome: 'admitted' });
      expect(await calling.peek(ADMISSION)).toMatchObject({ outcome: 'admitted' });
    }
    expect(written).toEqual([]);
  });

  it('that requires a client certificate gets one', async () => {
    const mutual = serverTls(server, authority);
    await using quota = await quotaAt(mutual);
    await using catalog = await catalogAt(mutual);
    const tls = clientTls(authority, client);
    await using admitting = toQuota(quota.address, tls);
    await admitting.ready();
    expect(await admitting.admit(ADMISSION)).toMatchObject({ outcome: 'admitted' });
    await using looking = connectCatalog({
      addresses: [catalog.address],
      deadlineMs: 5_000,
      tls,
      logger,
    });
    const { models } = await looking.listModels({ organization: 'acme' });
    expect(models.map(({ id }) => id)).toEqual(['a model']);
  });

  it('is found again after it was restarted', async () => {
    const first = await quotaAt(serverTls(server));
    await using calling = toQuota(first.address, clientTls(authority));
    await calling.ready();
    await first[Symbol.asyncDispose]();
    await using _second = await quotaAt(serverTls(server), portOf(first.address));
    await waitUntil(async () => (await calling.admit(ADMISSION)).outcome === 'admitted', {
      what: 'an admission by the second',
    });
    expect(faults()).toEqual([]);
  });

  it('ends although a connection never sent anything', async () => {
    const called = await startRpcServer({
      host: '127.0.0.1',
      port: 0,
      tls: serverTls(server),
      services: [{ name: 'test', definition: QUOTA_SERVICE, implementation: {} }],
      drainMs: 1,
    });
    const silent = createConnection(portOf(called.address), '127.0.0.1');
    await once(silent, 'connect');
    await expect(called[Symbol.asyncDispose]()).resolves.toBeUndefined();
    silent.destroy();
  });
});

describe('a fault of a connection is logged once, however often it is tried, and disappears with its cause', () => {
  interface Case {
    readonly called: () => ServerTls | undefined;
    readonly calling: () => ClientTls | undefined;
    readonly address?: (address: string) => string;
    readonly fault: string;
  }
  const cases: Readonly<Record<string, Case>> = {
    'a server in the clear': {
      called: () => undefined,
      calling: () => clientTls(authority),
      fault: 'it does not support TLS: set GRPC_TLS=true there, or not here',
    },
    'a server with TLS, called in the clear': {
      called: () => serverTls(server),
      calling: () => undefined,
      fault:
        'it closes connections without a reason: it may require TLS, which GRPC_TLS=true turns on here',
    },
    'a certificate of an authority that is not trusted': {
      called: () => serverTls(stranger),
      calling: () => clientTls(authority),
      fault: 'its certificate is not from a trusted authority: GRPC_CA_FILE sets the trusted ones',
    },
    'a certificate of another place': {
      called: () => serverTls(elsewhere),
      calling: () => clientTls(authority),
      fault: 'its certificate is not valid for this address',
    },
    'a certificate of another place, by name': {
      called: () => serverTls(elsewhere),
      calling: () => clientTls(authority),
      address: byName,
      fault: 'its certificate is not valid for this address',
    },
    'a certificate whose time is over': {
      called: () => serverTls(expired),
      calling: () => clientTls(authority),
      fault: 'its certificate has expired',
    },
    'a caller without a certificate': {
      called: () => serverTls(server, authority),
      calling: () => clientTls(authority),
      fault: 'it requires a certificate: GRPC_CERT_FILE and GRPC_KEY_FILE set it',
    },
    'a caller with a certificate of another authority': {
      called: () => serverTls(server, otherAuthority),
      calling: () => clientTls(authority, client),
      fault:
        'it closes connections without a reason: it may not accept the certificate: ' +
        'GRPC_CERT_FILE and GRPC_KEY_FILE set it',
    },
  };

  it.each(Object.entries(cases))('%s', async (_, { called, calling, address, fault }) => {
    const wrong = await quotaAt(called());
    const place = (address ?? ((same: string) => same))(wrong.address);
    const tls = calling();
    await using caller = toQuota(place, tls);
    await waitUntil(() => faults().length > 0, { what: 'the fault to be written' });
    expect(await caller.admit(ADMISSION)).toEqual({ outcome: 'unavailable' });
    expect(caller.state()).toMatchObject({
      replicas: { [place]: 'connecting' },
      faults: { [place]: fault },
    });
    const line = { neighbour: 'quota', address: place, fault, msg: 'cannot connect; still trying' };
    expect(faults()).toEqual([expect.objectContaining(line)]);
    await wrong[Symbol.asyncDispose]();
    const right = tls === undefined ? undefined : serverTls(server);
    await using _right = await quotaAt(right, portOf(place));
    await caller.ready();
    expect(faults()).toHaveLength(1);
    expect(caller.state().faults).toEqual({});
  });

  it('also after another fault in between, while the state has the current one', async () => {
    const untrusted = await quotaAt(serverTls(stranger));
    const { address } = untrusted;
    await using caller = toQuota(address, clientTls(authority));
    const present = (words: string) =>
      waitUntil(() => caller.state().faults[address]?.includes(words) === true, { what: words });
    await present('trusted authority');
    await untrusted[Symbol.asyncDispose]();
    const plain = await quotaAt(undefined, portOf(address));
    await present('does not support TLS');
    await plain[Symbol.asyncDispose]();
    await using _untrustedAgain = await quotaAt(serverTls(stranger), portOf(address));
    await present('trusted authority');
    expect(faults().map(({ fault }) => fault)).toEqual([
      expect.stringContaining('trusted authority'),
      expect.stringContaining('does not support TLS'),
    ]);
  });

  it('also when the neighbour comes later than the caller', async () => {
    const before = await quotaAt(serverTls(stranger));
    const { address } = before;
    await before[Symbol.asyncDispose]();
    await using _caller = toQuota(address, clientTls(authority));
    await using looking = connectCatalog({
      addresses: [address],
      deadlineMs: 500,
      tls: clientTls(authority),
      logger,
    });
    await expect(looking.listModels({ organization: 'a' })).rejects.toMatchObject({
      code: 'unavailable',
      connectionFault: undefined,
    });
    await using _late = await quotaAt(serverTls(stranger), portOf(address));
    await waitUntil(() => faults().length === 2, { what: 'a line of each caller' });
  });
});

describe('the admin port with TLS', () => {
  const refuse = () => Promise.reject(new Error('not in this test'));
  const handlers: CatalogAdminHandlers = {
    createResource: refuse,
    updateResource: refuse,
    deleteResource: refuse,
    getResource: async ({ kind, id }) => ({ kind, id, document: '{}' }),
    listResources: refuse,
    createApiKey: refuse,
    revokeApiKey: refuse,
    issuePlaygroundToken: refuse,
    createSignInLink: refuse,
    listAudit: refuse,
  };

  it('accepts calls with a token, and a caller that does not trust it learns why', async () => {
    await using admin = await serveCatalogAdmin({
      host: '127.0.0.1',
      port: 0,
      tls: serverTls(server),
      handlers,
      authenticate: (token) => (token === 'right' ? 'operator' : undefined),
      logger,
    });
    const { address } = admin;
    await using calling = connectCatalogAdmin({
      address,
      token: 'right',
      tls: clientTls(authority),
    });
    expect(await calling.getResource({ kind: 'plans', id: 'a' })).toMatchObject({ id: 'a' });
    await using doubting = connectCatalogAdmin({
      address,
      token: 'right',
      tls: clientTls(otherAuthority),
    });
    await expect(doubting.getResource({ kind: 'plans', id: 'a' })).rejects.toMatchObject({
      code: 'unavailable',
      connectionFault:
        'its certificate is not from a trusted authority: GRPC_CA_FILE sets the trusted ones',
    });
  });
});
