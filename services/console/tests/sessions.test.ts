import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes, type Route } from '../src/api/routes.ts';
import { BrowserDouble, ConsoleUnderTest, PAGE } from './console-under-test.ts';

let console: ConsoleUnderTest;

beforeAll(async () => {
  console = await ConsoleUnderTest.start();
});
afterAll(async () => {
  await console[Symbol.asyncDispose]();
});

const all = Object.entries<Route>(routes);
const closed = all.filter(([, { open }]) => open !== true);
const changes = closed.filter(([, { method }]) => method !== 'GET');

function addressOf({ path }: Route): string {
  return path
    .replaceAll(/:(\w+)/g, 'any.$1')
    .replace('any.kind', 'plans')
    .replace('any.action', 'grant');
}

describe('every route of the API', () => {
  it.each(closed)('%s answers 401 to a browser that is signed out', async (_name, route) => {
    const before = console.catalog.calls.length;
    const response = await console.inject({ method: route.method, url: addressOf(route) });
    expect(response.statusCode).toBe(401);
    expect(response.json()).toMatchObject({ error: { code: 'signed_out' } });
    expect(console.catalog.calls).toHaveLength(before);
  });

  it.each(changes)('%s refuses a request without a token of the session', async (_name, route) => {
    const browser = await console.signIn('ada');
    const stranger = await console.signIn('mallory');
    const { csrf_token: foreign } = await stranger.session();
    const { csrf_token: own } = await browser.session();
    const before = console.catalog.calls.length;
    const attempts = [
      {},
      { 'x-csrf-token': foreign },
      { 'x-csrf-token': own, 'sec-fetch-site': 'cross-site' },
      { 'x-csrf-token': own, 'sec-fetch-site': 'same-site' },
    ];
    for (const headers of attempts) {
      const response = await browser.request({
        method: route.method,
        url: addressOf(route),
        headers: { ...headers },
      });
      expect(response.statusCode).toBe(403);
      expect(response.json()).toMatchObject({ error: { code: 'csrf_token_invalid' } });
    }
    expect(console.catalog.calls).toHaveLength(before);
  });

  it('is in the OpenAPI document', async () => {
    const document: { paths: Record<string, Record<string, { operationId: string }>> } = (
      await console.inject('/api/openapi.json')
    ).json();
    const described = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    expect(described.toSorted()).toEqual(Object.keys(routes).toSorted());
  });
});

describe('a session', () => {
  it('is refused with a stolen cookie after the person has signed out', async () => {
    console.catalog.replies.ListInvitations = { invitations: [] };
    const browser = await console.signIn('ada');
    const thief = new BrowserDouble(console);
    for (const [name, value] of browser.cookies) thief.cookies.set(name, value);
    expect((await thief.get('/api/organizations/acme/invitations')).statusCode).toBe(200);
    expect((await browser.change('POST', '/api/sign-out')).statusCode).toBe(200);
    expect(browser.cookies.has('sluice-session')).toBe(false);

    const refused = await thief.get('/api/organizations/acme/invitations');
    expect(refused.statusCode).toBe(401);
    expect(refused.json()).toMatchObject({ error: { code: 'signed_out' } });
    expect((await thief.get('/api/session')).json()).toMatchObject({ state: 'signed_out' });
  });

  it('ends after its time, also if its cookie was sealed again meanwhile', async () => {
    const browser = await console.signIn('grace');
    const first = browser.cookies.get('sluice-session');
    console.now += 1_800_000;
    await browser.session();
    expect(browser.cookies.get('sluice-session')).not.toBe(first);
    console.now += 1_900_000;
    expect((await browser.get('/api/session')).json()).toMatchObject({ state: 'signed_out' });
  });

  it('has cookies that scripts cannot read, and with https only this host can write', async () => {
    await using secured = await ConsoleUnderTest.start({ publicUrl: 'https://console.test' });
    secured.catalog.links.set('once', 'demo');
    const entered = await secured.inject('/sign-in/link?token=once');
    expect(entered.cookies.find(({ value }) => value !== '')).toMatchObject({
      name: '__Host-sluice-session',
      httpOnly: true,
      secure: true,
      sameSite: 'Lax',
      path: '/',
    });
    expect(entered.headers['strict-transport-security']).toContain('max-age=31536000');
  });
});

describe('a page', () => {
  it('cannot be framed, and runs nothing but its own files', async () => {
    const response = await console.inject('/keys/anything');
    expect(response.body).toBe(PAGE);
    expect(response.headers['x-frame-options']).toBe('DENY');
    const policy = String(response.headers['content-security-policy']);
    expect(policy.split(';')).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self' http://api.test",
        "frame-ancestors 'none'",
      ]),
    );
    expect(policy).not.toContain('unsafe');
  });

  it('is not served for unknown paths of the API and for missing files', async () => {
    for (const url of ['/api/unknown', '/assets/missing.js', '/../package.json']) {
      const response = await console.inject(url);
      expect(response.body === PAGE ? url : '').not.toMatch(/api|assets/);
    }
    expect((await console.inject('/api/unknown')).json()).toMatchObject({
      error: { code: 'not_found' },
    });
  });
});
