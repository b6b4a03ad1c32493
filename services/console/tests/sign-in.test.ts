import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BrowserDouble, ConsoleUnderTest } from './console-under-test.ts';
import { startForgingProvider, type ForgingProvider } from './forging-provider.ts';
import { signInAtProvider, startRealProvider, type RealProvider } from './real-provider.ts';

const CONSOLE_URL = 'http://console.test';

function pathOf(url: string): string {
  const { pathname, search } = new URL(url, CONSOLE_URL);
  return `${pathname}${search}`;
}

describe('sign-in with a real provider', () => {
  let provider: RealProvider;
  let console: ConsoleUnderTest;

  beforeAll(async () => {
    provider = await startRealProvider(CONSOLE_URL);
    console = await ConsoleUnderTest.start({ provider: provider.settings });
  });
  afterAll(async () => {
    await console[Symbol.asyncDispose]();
    await provider.process[Symbol.asyncDispose]();
  });

  it('tells the catalog the verified identity, and leads back to the page that was asked for', async () => {
    const browser = new BrowserDouble(console);
    const begun = await browser.get('/sign-in?return_to=%2Fkeys%3Fproject%3Dbot');
    const back = await signInAtProvider(begun.headers.location ?? '', 'ada');
    const entered = await browser.get(pathOf(back));
    expect(entered.headers.location).toBe('/keys?project=bot');
    expect(console.catalog.calls.find(({ name }) => name === 'SignIn')).toMatchObject({
      request: {
        issuer: provider.settings.issuer,
        subject: 'ada',
        email: 'ada@example.org',
        emailVerified: true,
        name: 'ada',
      },
      caller: undefined,
    });
    const { account } = await browser.session();
    expect(account.id).toBe('account-of-ada');

    const replayed = await browser.get(pathOf(back));
    expect(replayed.headers.location).toBe('/signed-out?error=sign_in_failed');

    const out = await browser.change('POST', '/api/sign-out');
    expect(out.json()).toMatchObject({
      sign_out_url: expect.stringContaining(`${provider.settings.issuer}/session/end`) as string,
    });
  });

  it('refuses an answer in a browser that began no sign-in', async () => {
    const victim = new BrowserDouble(console);
    const attacker = new BrowserDouble(console);
    const begun = await attacker.get('/sign-in');
    const back = await signInAtProvider(begun.headers.location ?? '', 'mallory');
    const answered = await victim.get(pathOf(back));
    expect(answered.headers.location).toBe('/signed-out?error=sign_in_failed');
    expect(victim.cookies.size).toBe(0);
  });
});

describe('sign-in with a provider that sends wrong id tokens', () => {
  let provider: ForgingProvider;
  let console: ConsoleUnderTest;

  beforeEach(async () => {
    provider = await startForgingProvider();
    console = await ConsoleUnderTest.start({ provider: provider.settings });
  });
  afterEach(async () => {
    await console[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  });

  async function signIn(): Promise<string> {
    const browser = new BrowserDouble(console);
    const begun = await browser.get('/sign-in');
    const answered = await browser.get(pathOf(provider.approve(begun.headers.location ?? '')));
    return answered.headers.location ?? '';
  }

  it.each([
    ['of another client', { aud: 'another-client' }],
    ['that has expired', { iat: 1_000, exp: 2_000 }],
    ['with another nonce', { nonce: 'of somebody else' }],
    ['without a nonce', { nonce: undefined }],
    ['of another issuer', { iss: 'https://elsewhere.example' }],
  ])('refuses an id token %s', async (_, wrong) => {
    expect(await signIn()).toBe('/');
    provider.forge = (claims) => ({ ...claims, ...wrong });
    expect(await signIn()).toBe('/signed-out?error=sign_in_failed');
  });

  it('refuses an id token that was sent before', async () => {
    expect(await signIn()).toBe('/');
    provider.replayed = provider.sent[0];
    expect(await signIn()).toBe('/signed-out?error=sign_in_failed');
  });

  it('refuses an id token that is signed with an unknown key', async () => {
    provider.signsWrongly = true;
    expect(await signIn()).toBe('/signed-out?error=sign_in_failed');
    expect(console.catalog.calls).toEqual([]);
  });
});

describe('a one-time link', () => {
  it('signs in once, and gives the browser a new session', async () => {
    await using console = await ConsoleUnderTest.start();
    const browser = new BrowserDouble(console);
    browser.cookies.set('sluice-session', 'chosen by an attacker');
    console.catalog.links.set('once', 'demo');
    const entered = await browser.get('/sign-in/link?token=once');
    expect(entered.headers.location).toBe('/');
    expect(browser.cookies.get('sluice-session')).not.toBe('chosen by an attacker');
    expect((await browser.session()).account.id).toBe('demo');

    const again = await new BrowserDouble(console).get('/sign-in/link?token=once');
    expect(again.headers.location).toBe('/signed-out?error=sign_in_failed');
  });

  it('is not used up by a HEAD request, and cannot be guessed at any rate', async () => {
    await using console = await ConsoleUnderTest.start({ signInsPerMinute: 3 });
    console.catalog.links.set('once', 'demo');
    await console.inject({ method: 'HEAD', url: '/sign-in/link?token=once' });
    expect(console.catalog.calls).toEqual([]);
    const statuses: number[] = [];
    for (let tries = 0; tries < 4; tries += 1) {
      statuses.push((await console.inject(`/sign-in/link?token=guess-${tries}`)).statusCode);
    }
    expect(statuses).toEqual([303, 303, 303, 429]);
  });
});
