import { apiKeyDigest } from '@sluice/contracts';
import { useCertificates, useLeakCheck, useNats, type CertificateFiles } from '@sluice/devkit';
import { connectCatalog, readRpcClientTls } from '@sluice/rpc';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readCatalogSettings } from '../src/config.ts';
import { start, type RunningCatalog } from '../src/start.ts';
import { ADMIN_TOKEN, logger, startCatalog } from './catalog-under-test.ts';
import { account, project } from './example-documents.ts';
import { createExamples } from './example-resources.ts';
import { sluice, type CommandResult } from './sluice-command.ts';

useLeakCheck();
const nats = useNats();
const { authority, otherAuthority, server, client, stranger } = useCertificates();

let key = '';
beforeAll(async () => {
  await using catalog = await startCatalog({ natsUrl: nats.url, namespace: nats.namespace });
  await createExamples(catalog.admin);
  const ordered = { project: project.id, name: 'laptop', creator: account.id };
  ({ key } = await catalog.admin.createApiKey(ordered));
});

function startSecured(environment: Readonly<Record<string, string>>): Promise<RunningCatalog> {
  const settings = readCatalogSettings({
    NATS_URL: nats.url,
    CATALOG_BUCKET: nats.namespace,
    SUBJECT_PREFIX: nats.namespace,
    PORT: '0',
    ADMIN_PORT: '0',
    ADMIN_TOKENS: `operator:${ADMIN_TOKEN}`,
    GRPC_TLS: 'true',
    GRPC_CERT_FILE: server.certificate,
    GRPC_KEY_FILE: server.key,
    ...environment,
  });
  return start(settings, logger);
}

/** The TLS settings of a caller: trusted CA and own certificate. */
function calling(trusted: string, shown?: CertificateFiles): Record<string, string> {
  const own = shown && { GRPC_CERT_FILE: shown.certificate, GRPC_KEY_FILE: shown.key };
  return { GRPC_TLS: 'true', GRPC_CA_FILE: trusted, ...own };
}

async function resolve(
  { address }: RunningCatalog,
  environment: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const tls = readRpcClientTls(environment);
  await using gateway = connectCatalog({ addresses: [address], deadlineMs: 5_000, tls, logger });
  const found = await gateway.resolveCredential({ apiKeySha256: apiKeyDigest(key) });
  return found.principal?.project;
}

function getPlans(
  { adminAddress }: RunningCatalog,
  environment: Readonly<Record<string, string>>,
): Promise<CommandResult> {
  const parameters = ['get', 'plans', '--address', adminAddress ?? '', '--json'];
  return sluice(parameters, { SLUICE_ADMIN_TOKEN: ADMIN_TOKEN, ...environment });
}

describe('a catalog that requires client certificates of gateways', () => {
  let started: RunningCatalog;
  beforeEach(async () => {
    started = await startSecured({ GRPC_CLIENT_CA_FILE: authority });
    return () => started[Symbol.asyncDispose]();
  });

  it('answers gateways with a valid certificate', async () => {
    expect(await resolve(started, calling(authority, client))).toBe(project.id);
    for (const wrong of [calling(authority), calling(authority, stranger), {}]) {
      await expect(resolve(started, wrong)).rejects.toMatchObject({ code: 'unavailable' });
    }
  });

  it('requires only the token of operators', async () => {
    const { code, stdout, stderr } = await getPlans(started, calling(authority));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('"id"');
  });

  it('receives no token from a command that does not trust it, which reports this', async () => {
    const place = started.adminAddress ?? '';
    expect(await getPlans(started, calling(otherAuthority))).toEqual({
      code: 1,
      stdout: '',
      stderr: `sluice get: the catalog at ${place} cannot be reached: its certificate is not from a trusted authority: GRPC_CA_FILE sets the trusted ones\n`,
    });
    expect(await getPlans(started, {})).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'it may require TLS, which GRPC_TLS=true turns on here',
      ) as string,
    });
    expect(await getPlans(started, { GRPC_CA_FILE: authority })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('GRPC_CA_FILE: is for TLS: set GRPC_TLS=true') as string,
    });
  });
});

it('a catalog can require certificates of operators in addition to the token', async () => {
  await using started = await startSecured({ ADMIN_CLIENT_CA_FILE: authority });
  expect(await resolve(started, calling(authority))).toBe(project.id);
  expect(await getPlans(started, calling(authority, client))).toMatchObject({ code: 0 });
  expect(await getPlans(started, calling(authority))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('it requires a certificate') as string,
  });
  const { code, stderr } = await getPlans(started, {
    ...calling(authority, client),
    SLUICE_ADMIN_TOKEN: 'a-token-of-somebody-else',
  });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `sluice get: the catalog at ${started.adminAddress ?? ''} does not accept this token\n`,
  });
});

it('a catalog does not start with an invalid CA certificate', async () => {
  await expect(startSecured({ ADMIN_CLIENT_CA_FILE: server.key })).rejects.toThrow(
    'ADMIN_CLIENT_CA_FILE: is not a PEM file of certificates',
  );
});
