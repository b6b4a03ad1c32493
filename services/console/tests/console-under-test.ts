import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { QuotaClient, UsageClient } from '@sluice/rpc';
import { createLogger } from '@sluice/service';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { accountAnswers } from '../src/answers/account-answers.ts';
import { fleetAnswers } from '../src/answers/fleet-answers.ts';
import { keyAnswers } from '../src/answers/key-answers.ts';
import { organizationAnswers } from '../src/answers/organization-answers.ts';
import { platformAnswers } from '../src/answers/platform-answers.ts';
import { usageAnswers } from '../src/answers/usage-answers.ts';
import { SignedIn } from '../src/api/session.ts';
import { cookiesOf } from '../src/edge/cookies.ts';
import { createConsoleApp } from '../src/edge/server.ts';
import { WorkerTable } from '../src/fleet/worker-table.ts';
import { Provider, type ProviderOptions } from '../src/session/provider.ts';
import { Sealer } from '../src/session/sealed-text.ts';
import { Sessions } from '../src/session/sessions.ts';
import { CatalogDouble } from './catalog-double.ts';

const COOKIE_KEY = new Uint8Array(32).fill(7);
export const PAGE = '<!doctype html><title>Console</title>';

interface ConsoleOptions {
  readonly publicUrl?: string;
  readonly provider?: Pick<ProviderOptions, 'issuer' | 'clientId' | 'clientSecret'>;
  readonly usage?: UsageClient;
  readonly quota?: Pick<QuotaClient, 'peek'>;
  readonly signInsPerMinute?: number;
}

type ConsoleApp = Awaited<ReturnType<typeof createConsoleApp>>;

/** A console with all of its own parts, on a test double of the catalog. */
export class ConsoleUnderTest implements AsyncDisposable {
  readonly catalog = new CatalogDouble();
  readonly workers = new WorkerTable(() => performance.now());
  readonly #webRoot = mkdtempSync(join(tmpdir(), 'sluice-console-pages-'));
  #app: ConsoleApp | undefined;
  /** The wall clock of sessions and cookies. */
  now = Date.now();

  static async start(options: ConsoleOptions = {}): Promise<ConsoleUnderTest> {
    const console = new ConsoleUnderTest();
    await console.#start(options);
    return console;
  }

  async #start({
    publicUrl = 'http://console.test',
    provider,
    usage,
    quota,
    signInsPerMinute = 1_000,
  }: ConsoleOptions): Promise<void> {
    writeFileSync(join(this.#webRoot, 'index.html'), PAGE);
    const { catalog, workers } = this;
    const wallClock = () => this.now;
    const sealer = new Sealer({ keys: [COOKIE_KEY], wallClock });
    const signIn =
      provider &&
      new Provider({
        ...provider,
        callbackUrl: `${publicUrl}/sign-in/callback`,
        signedOutUrl: `${publicUrl}/signed-out`,
        sealer,
      });
    const sessionLifeMs = 3_600_000;
    this.#app = await createConsoleApp({
      catalog,
      answers: {
        ...accountAnswers,
        ...organizationAnswers({ publicUrl, usage }),
        ...keyAnswers({ usage, wallClock }),
        ...usageAnswers({ usage, quota, wallClock }),
        ...fleetAnswers({ connected: true, table: workers, setDraining: async () => true }),
        ...platformAnswers,
      },
      provider: signIn,
      signOutUrl: signIn && (() => signIn.signOutUrl()),
      sessions: new Sessions({ sealer, lifeMs: sessionLifeMs, wallClock }),
      sessionLifeMs,
      cookies: cookiesOf(publicUrl),
      cookieKey: COOKIE_KEY,
      deployment: { api_url: 'http://api.test/compat/v1', terms_url: null, version: '0' },
      publicUrl,
      webRoot: this.#webRoot,
      trustedProxies: undefined,
      attemptsPerMinute: signInsPerMinute,
      requestsPerMinute: 100_000,
      logger: createLogger({ service: 'console', level: 'silent' }),
    });
  }

  /** Sends a request, and adds no cookies or tokens to it. */
  inject(request: InjectOptions | string): Promise<LightMyRequestResponse> {
    if (this.#app === undefined) throw new Error('the console was not started');
    return this.#app.inject(request);
  }

  /** A browser that is signed in to the account. */
  async signIn(account: string): Promise<BrowserDouble> {
    const browser = new BrowserDouble(this);
    const token = `link-to-${account}-${Math.random()}`;
    this.catalog.links.set(token, account);
    await browser.get(`/sign-in/link?token=${token}`);
    return browser;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#app?.close();
    rmSync(this.#webRoot, { recursive: true, force: true });
  }
}

/** Keeps cookies like a browser. */
export class BrowserDouble {
  readonly cookies = new Map<string, string>();
  readonly #console: ConsoleUnderTest;

  constructor(console: ConsoleUnderTest) {
    this.#console = console;
  }

  async request(options: InjectOptions): Promise<LightMyRequestResponse> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await this.#console.inject({
      ...options,
      headers: { ...options.headers, ...(cookie !== '' && { cookie }) },
    });
    for (const { name, value, maxAge } of response.cookies) {
      if (value === '' || maxAge === 0) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return response;
  }

  get(url: string): Promise<LightMyRequestResponse> {
    return this.request({ method: 'GET', url });
  }

  async session(): Promise<ReturnType<typeof SignedIn.parse>> {
    return SignedIn.parse((await this.get('/api/session')).json());
  }

  /** Sends a change as the page does: with the CSRF token of the session. */
  async change(
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    url: string,
    body?: object,
  ): Promise<LightMyRequestResponse> {
    const { csrf_token: token } = await this.session();
    return this.request({
      method,
      url,
      headers: { 'x-csrf-token': token },
      ...(body !== undefined && { payload: body }),
    });
  }
}
