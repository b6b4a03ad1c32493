import { randomBytes } from 'node:crypto';
import { useLeakCheck } from '@sluice/devkit';
import {
  CONSOLE_CALLS,
  RpcError,
  assertionKeySetting,
  connectCatalogConsole,
  consoleKeysSetting,
  publicAssertionKey,
  serveCatalogAdmin,
  signAssertion,
  verifyAssertion,
  type AssertionKey,
  type CatalogAdminHandlers,
  type CatalogConsoleClient,
  type CatalogConsoleHandlers,
  type ConsoleCall,
  type ConsoleCaller,
  type ConsoleReply,
  type ConsoleReplyInput,
  type ConsoleRequest,
  type ConsoleRequestInput,
} from '@sluice/rpc';
import { createLogger } from '@sluice/service';
import { describe, expect, it } from 'vitest';

useLeakCheck();

const logger = createLogger({ service: 'test', level: 'silent' });
const NOW = 1_800_000_000_000;
const ada: ConsoleCaller = { account: 'ada', generation: 3 };

function keyNamed(name: string): AssertionKey {
  return assertionKeySetting().parse(`${name}:${randomBytes(32).toString('base64url')}`);
}

const key = keyNamed('console-1');
const keys = consoleKeysSetting().parse(publicAssertionKey(key));

type Answer<Name extends ConsoleCall> = (
  request: ConsoleRequest<Name>,
  caller: ConsoleCaller | undefined,
) => Promise<ConsoleReplyInput<Name>>;

const refuse = () => Promise.reject(new RpcError('unimplemented', 'not in this test'));

function catalog(whoAmI?: Answer<'WhoAmI'>) {
  const admin = { createResource: refuse, updateResource: refuse, deleteResource: refuse };
  const reads = { getResource: refuse, listResources: refuse, listAudit: refuse };
  const secrets = { createApiKey: refuse, revokeApiKey: refuse, createSignInLink: refuse };
  const handlers: CatalogAdminHandlers = {
    ...admin,
    ...reads,
    ...secrets,
    issuePlaygroundToken: refuse,
  };
  return serveCatalogAdmin({
    host: '127.0.0.1',
    port: 0,
    handlers,
    authenticate: () => undefined,
    ...(whoAmI !== undefined && { console: { handlers: answering(whoAmI), keys } }),
    logger,
  });
}

function answering(whoAmI: Answer<'WhoAmI'>): CatalogConsoleHandlers {
  const refusing = Object.fromEntries(
    CONSOLE_CALLS.map((name) => [name, refuse]),
  ) as unknown as CatalogConsoleHandlers;
  return { ...refusing, WhoAmI: whoAmI };
}

function whoAmI(
  client: CatalogConsoleClient,
  request: ConsoleRequestInput<'WhoAmI'> = {},
): Promise<ConsoleReply<'WhoAmI'>> {
  return client.call('WhoAmI', request, ada);
}

describe('a call of a console', () => {
  it('reaches the handler of its name with the account that is signed in', async () => {
    await using server = await catalog(async (_request, caller) => ({
      account: caller?.account ?? '',
      organizations: [{ id: `generation ${caller?.generation}` }],
    }));
    await using client = connectCatalogConsole({ addresses: [server.address], key, logger });
    await client.ready();
    const { account, organizations } = await whoAmI(client);
    expect(account).toBe('ada');
    expect(organizations[0]?.id).toBe('generation 3');
    await expect(client.call('SignOut', {}, ada)).rejects.toMatchObject({ code: 'unimplemented' });
  });

  it('fails with the reason that the catalog gives to programs', async () => {
    await using server = await catalog(() =>
      Promise.reject(new RpcError('unauthenticated', 'sign in again', { reason: 'session_ended' })),
    );
    await using client = connectCatalogConsole({ addresses: [server.address], key, logger });
    await expect(whoAmI(client)).rejects.toMatchObject({
      code: 'unauthenticated',
      message: 'sign in again',
      reason: 'session_ended',
    });
  });

  it('is refused without a key of the catalog', async () => {
    await using server = await catalog(async () => ({}));
    await using client = connectCatalogConsole({
      addresses: [server.address],
      key: keyNamed('console-1'),
      logger,
    });
    await expect(whoAmI(client)).rejects.toMatchObject({
      code: 'unauthenticated',
      message: 'a valid assertion of a console is needed',
    });
  });

  it('is refused by a catalog without CONSOLE_KEYS, with a message', async () => {
    await using server = await catalog();
    await using client = connectCatalogConsole({ addresses: [server.address], key, logger });
    await expect(whoAmI(client)).rejects.toMatchObject({
      code: 'unimplemented',
      message: 'this catalog serves no console: its setting CONSOLE_KEYS is unset',
    });
  });
});

describe('an assertion', () => {
  const assertion = { call: 'WhoAmI', caller: ada, nowMs: NOW };
  const verified = (token: string, { call = 'WhoAmI', nowMs = NOW } = {}) =>
    verifyAssertion(token, { keys, call, nowMs });

  it('names the account of the caller, if there is one', () => {
    expect(verified(signAssertion(key, assertion))).toEqual({ caller: ada });
    expect(verified(signAssertion(key, { ...assertion, caller: undefined }))).toEqual({
      caller: undefined,
    });
  });

  it('is not accepted for another call, or before or after its time', () => {
    const token = signAssertion(key, assertion);
    expect(verified(token, { call: 'SignOut' })).toBeUndefined();
    expect(verified(token, { nowMs: NOW - 31_000 })).toBeUndefined();
    expect(verified(token, { nowMs: NOW + 59_000 })).toBeDefined();
    expect(verified(token, { nowMs: NOW + 61_000 })).toBeUndefined();
  });

  it.each([
    ['other claims', (token: string) => withClaims(token, 'grace')],
    ['no signature', (token: string) => token.slice(0, token.lastIndexOf('.') + 1)],
    ['the algorithm none', (token: string) => withHeader(token, { alg: 'none', kid: key.name })],
    ['a key of another name', (token: string) => withHeader(token, { alg: 'EdDSA', kid: 'x' })],
    ['a fourth part', (token: string) => `${token}.x`],
    ['no parts', () => 'token'],
  ])('with %s is not accepted', (_what, change) => {
    expect(verified(change(signAssertion(key, assertion)))).toBeUndefined();
  });
});

describe('the keys in settings', () => {
  it.each(['console', 'console:short', 'a:b:c', `two words:${'A'.repeat(43)}`])(
    'are refused as %s, without repeating them',
    (text) => {
      for (const setting of [assertionKeySetting(), consoleKeysSetting()]) {
        const { error } = setting.safeParse(text);
        expect(error?.message).toBeDefined();
        expect(error?.message).not.toContain(text);
      }
    },
  );
});

function withClaims(token: string, sub: string): string {
  const [head = '', , signature = ''] = token.split('.');
  const iat = NOW / 1_000;
  const claims = { aud: 'sluice-catalog', call: 'WhoAmI', sub, gen: 3, iat, exp: iat + 30 };
  return `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`;
}

function withHeader(token: string, header: object): string {
  const [, ...rest] = token.split('.');
  return [Buffer.from(JSON.stringify(header)).toString('base64url'), ...rest].join('.');
}
