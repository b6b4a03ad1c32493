import {
  RpcError,
  serveCatalog,
  serveCatalogAdmin,
  type CatalogAdminHandlers,
  type RpcServer,
} from '@sluice/rpc';
import { createLogger } from '@sluice/telemetry';
import { useLeakCheck } from '@sluice/testkit';
import { expect, test } from 'vitest';
import { sluice } from './run-sluice.ts';

useLeakCheck();

const options = {
  host: '127.0.0.1',
  port: 0,
  logger: createLogger({ service: 'test', level: 'silent' }),
};

/** A catalog that gives this answer to everything. */
function catalogThatSays(said: RpcError): Promise<RpcServer> {
  const refuse = () => Promise.reject(said);
  const handlers: CatalogAdminHandlers = {
    createResource: refuse,
    updateResource: refuse,
    deleteResource: refuse,
    getResource: refuse,
    listResources: refuse,
    createApiKey: refuse,
    revokeApiKey: refuse,
    issuePlaygroundToken: refuse,
    listAudit: refuse,
  };
  return serveCatalogAdmin({ ...options, handlers, authenticate: () => 'operator' });
}

function revoke({ address }: RpcServer) {
  const token = { SLUICE_ADMIN_TOKEN: 'any' };
  return sluice(['keys', 'revoke', 'key_1', '--address', address], token);
}

test('a catalog that cannot do something now is quoted: it is up, and knows what is not', async () => {
  const unknown = 'the store does not answer; whether the change was made is unknown';
  await using catalog = await catalogThatSays(new RpcError('unavailable', unknown));
  expect(await revoke(catalog)).toEqual({
    code: 1,
    stdout: '',
    stderr: `sluice keys: the catalog at ${catalog.address} cannot do that now: ${unknown}\n`,
  });
});

test("the port of a catalog that is the gateways' is said not to be the operators'", async () => {
  const refuse = () => Promise.reject(new Error('not in this test'));
  await using forGateways = await serveCatalog({
    ...options,
    handlers: { resolveCredential: refuse, listModels: refuse },
  });
  expect(await revoke(forGateways)).toEqual({
    code: 1,
    stdout: '',
    stderr: `sluice keys: ${forGateways.address} is not the admin port of a catalog, or that one is older than this\n`,
  });
});
