import { Sealer } from '../../src/session/sealed-text.ts';
import { Sessions } from '../../src/session/sessions.ts';

const SESSION_LIFE_MS = 3_600_000;

/** A browser with the session of an account, at any replica of the console. */
export class AccountSession {
  readonly account: string;
  readonly #sessions: Sessions;
  #generation: number;
  #cookies: readonly string[] = [];
  #csrfToken = '';

  private constructor(account: string, generation: number, cookieKey: Uint8Array) {
    this.account = account;
    this.#generation = generation;
    this.#sessions = new Sessions({
      sealer: new Sealer({ keys: [cookieKey], wallClock: Date.now }),
      lifeMs: SESSION_LIFE_MS,
      wallClock: Date.now,
    });
  }

  /** The session is made here, and its token at the console. */
  static async open(
    account: string,
    { cookieKey, consoleUrl }: { readonly cookieKey: Uint8Array; readonly consoleUrl: string },
  ): Promise<AccountSession> {
    const session = new AccountSession(account, 1, cookieKey);
    await session.#enter(consoleUrl);
    return session;
  }

  /** Signs in again, after the sessions of the account were ended. */
  async renew(consoleUrl: string): Promise<void> {
    this.#generation += 1;
    await this.#enter(consoleUrl);
  }

  send(url: string, method = 'GET', body?: object): Promise<Response> {
    return fetch(url, {
      method,
      headers: {
        cookie: this.#cookies.join('; '),
        'x-csrf-token': this.#csrfToken,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  async #enter(consoleUrl: string): Promise<void> {
    const sealed = await this.#sessions.begin({
      account: this.account,
      generation: this.#generation,
      via: 'link',
    });
    const cookie = `sluice-session=${sealed}`;
    const response = await fetch(`${consoleUrl}/api/session`, { headers: { cookie } });
    const { csrf_token: token } = (await response.json()) as { readonly csrf_token?: string };
    if (token === undefined) throw new Error(`the console does not know ${this.account}`);
    this.#csrfToken = token;
    const sent = response.headers.getSetCookie().map((line) => line.split(';', 1)[0] ?? '');
    this.#cookies = [cookie, ...sent];
  }
}
