import { apiKeyDigest } from '@sluice/contracts';
import { connectCatalog, readRpcClientTls } from '@sluice/rpc';
import { useCertificates, useLeakCheck, useNats, type CertificateFiles } from '@sluice/testkit';
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

/** What a caller is told to trust and to show. */
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
  return sluice(parameters, { environment: { SLUICE_ADMIN_TOKEN: ADMIN_TOKEN, ...environment } });
}

describe('a catalog that gateways must show a certificate', () => {
  let started: RunningCatalog;
  beforeEach(async () => {
    started = await startSecured({ GRPC_CLIENT_CA_FILE: authority });
    return () => started[Symbol.asyncDispose]();
  });

  it('answers those who do', async () => {
    expect(await resolve(started, calling(authority, client))).toBe(project.id);
    for (const wrong of [calling(authority), calling(authority, stranger), {}]) {
      await expect(resolve(started, wrong)).rejects.toMatchObject({ code: 'unavailable' });
    }
  });

  it('asks operators for their token alone', async () => {
    const { code, stdout, stderr } = await getPlans(started, calling(authority));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('"id"');
  });

  it('is not told a token by a command that does not trust it, which says so', async () => {
    const place = started.adminAddress ?? '';
    expect(await getPlans(started, calling(otherAuthority))).toEqual({
      code: 1,
      stdout: '',
      stderr: `sluice get: the catalog at ${place} cannot be reached: its certificate is of no authority that is trusted here: GRPC_CA_FILE names them\n`,
    });
    expect(await getPlans(started, {})).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'it may speak TLS, which GRPC_TLS=true turns on here',
      ) as string,
    });
    expect(await getPlans(started, { GRPC_CA_FILE: authority })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('GRPC_CA_FILE: is for TLS: set GRPC_TLS=true') as string,
    });
  });
});

it('a catalog that wants to see certificates of operators gets them beside the token', async () => {
  await using started = await startSecured({ ADMIN_CLIENT_CA_FILE: authority });
  expect(await resolve(started, calling(authority))).toBe(project.id);
  expect(await getPlans(started, calling(authority, client))).toMatchObject({ code: 0 });
  expect(await getPlans(started, calling(authority))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('it wants to be shown a certificate') as string,
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

it('a catalog does not start with an authority that is none', async () => {
  await expect(startSecured({ ADMIN_CLIENT_CA_FILE: server.key })).rejects.toThrow(
    'ADMIN_CLIENT_CA_FILE: is no PEM file of certificates',
  );
});
