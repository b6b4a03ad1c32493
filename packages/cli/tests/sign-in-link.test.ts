import { useLeakCheck } from '@sluice/devkit';
import { RpcError, serveCatalogAdmin, type RpcServer } from '@sluice/rpc';
import { createLogger } from '@sluice/service';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catalogOfAcme } from './acme-services.ts';
import { sluice } from './run-sluice.ts';

useLeakCheck();

const EXPIRES_AT_MS = Date.UTC(2027, 0, 31, 12);

describe('a link to sign in', () => {
  let catalog: RpcServer;
  beforeAll(async () => {
    catalog = await serveCatalogAdmin({
      host: '127.0.0.1',
      port: 0,
      logger: createLogger({ service: 'test', level: 'silent' }),
      handlers: {
        ...catalogOfAcme,
        createSignInLink: async ({ account }) => {
          if (account === 'ada') return { token: 'once+/only', expiresAtMs: EXPIRES_AT_MS };
          throw new RpcError('not_found', `there is no account ${account}`);
        },
      },
      authenticate: () => 'operator',
    });
  });
  afterAll(async () => {
    await catalog[Symbol.asyncDispose]();
  });

  const link = (...parameters: string[]) =>
    sluice(['--address', catalog.address, 'sign-in-link', ...parameters], {
      SLUICE_ADMIN_TOKEN: 'any',
    });

  test.each(['https://console.example/at', 'https://console.example/at/'])(
    'leads to the console at %s',
    async (url) => {
      expect(await link('ada', '--console', url)).toEqual({
        code: 0,
        stdout: 'https://console.example/at/sign-in/link?token=once%2B%2Fonly\n',
        stderr: '',
      });
    },
  );

  test('is its token if the address of the console is not given', async () => {
    expect(await link('ada')).toMatchObject({ code: 0, stdout: 'once+/only\n' });
    const { stdout } = await link('ada', '-o', 'json');
    expect(JSON.parse(stdout)).toEqual({
      token: 'once+/only',
      account: 'ada',
      expires_at: '2027-01-31T12:00:00.000Z',
    });
  });

  test('is refused for an unknown account, and for an address that is none', async () => {
    const unknown = await link('bob');
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    expect(unknown.stderr).toContain('there is no account bob');
    expect(await link('ada', '--console', 'console.example')).toMatchObject({
      code: 2,
      stderr: 'sluice sign-in-link: --console must be an http or https URL, not console.example\n',
    });
  });
});
