import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { CatalogConsoleClient } from '@sluice/rpc';
import { createLogger } from '@sluice/service';
import type { Answers } from '../../src/answers/answers.ts';
import { cookiesOf } from '../../src/edge/cookies.ts';
import { createConsoleApp } from '../../src/edge/server.ts';
import { Sealer } from '../../src/session/sealed-text.ts';
import { Sessions } from '../../src/session/sessions.ts';

export interface Person {
  readonly name: string;
  readonly access: 'granted' | 'waiting';
  readonly onboarding: 'complete' | 'pending';
  readonly restricted: boolean;
  readonly operator: boolean;
  readonly role: 'owner' | 'viewer';
  readonly organization: string;
}

export interface ExampleConsole extends AsyncDisposable {
  readonly url: string;
  /** The cookie of a person who is signed in. */
  readonly cookie: { readonly name: string; readonly value: string; readonly url: string };
}

export interface ExampleConsoleOptions {
  readonly answers: Answers;
  readonly person: Person;
  readonly apiUrl: string;
}

const sessionLifeMs = 3_600_000;

/**
 * The console's own server with its real headers, cookies and pages. Only the answers of other services are examples.
 */
export async function startExampleConsole(options: ExampleConsoleOptions): Promise<ExampleConsole> {
  const { answers, person } = options;
  const catalog = {
    call: async (name: string) => {
      if (name !== 'WhoAmI') return {};
      return {
        account: 'acc-ada',
        name: person.name,
        email: 'ada@example.com',
        access: person.access,
        onboarding: person.onboarding,
        restricted: person.restricted,
        operator: person.operator,
        organizations: [
          { id: 'org-0', name: person.organization, role: person.role, personal: false },
          { id: 'org-1', name: 'Ada (personal)', role: 'owner', personal: true },
        ],
      };
    },
  } as unknown as Pick<CatalogConsoleClient, 'call'>;
  const key = randomBytes(32);
  const sessions = new Sessions({
    sealer: new Sealer({ keys: [key], wallClock: Date.now }),
    lifeMs: sessionLifeMs,
    wallClock: Date.now,
  });
  const cookies = cookiesOf('http://127.0.0.1');
  const app = await createConsoleApp({
    catalog,
    answers,
    provider: undefined,
    signOutUrl: undefined,
    sessions,
    sessionLifeMs,
    cookies,
    cookieKey: key,
    deployment: { api_url: options.apiUrl, terms_url: null, version: '0.2.0' },
    publicUrl: 'http://127.0.0.1',
    webRoot: join(import.meta.dirname, '../../web/dist'),
    trustedProxies: undefined,
    attemptsPerMinute: 1_000,
    requestsPerMinute: 100_000,
    logger: createLogger({ service: 'console', level: 'silent' }),
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const value = await sessions.begin({ account: 'acc-ada', generation: 1, via: 'link' });
  return {
    url,
    cookie: { name: cookies.names.session, value, url },
    [Symbol.asyncDispose]: async () => {
      await app.close();
    },
  };
}
