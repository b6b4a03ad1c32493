import { lookup } from 'node:dns/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { busAccess } from '@sluice/bus';
import { subjectsUnder } from '@sluice/contracts';
import { connectCatalogConsole, connectQuota, connectUsage, rpcClientTls } from '@sluice/rpc';
import {
  QUICK_DRAIN_MS,
  observe,
  withTimeout,
  type Logger,
  type RunningService,
} from '@sluice/service';
import packageJson from '../package.json' with { type: 'json' };
import { accountAnswers } from './answers/account-answers.ts';
import type { Answers } from './answers/answers.ts';
import { fleetAnswers } from './answers/fleet-answers.ts';
import { keyAnswers } from './answers/key-answers.ts';
import { organizationAnswers } from './answers/organization-answers.ts';
import { platformAnswers } from './answers/platform-answers.ts';
import { usageAnswers } from './answers/usage-answers.ts';
import type { ConsoleSettings } from './config.ts';
import { cookiesOf } from './edge/cookies.ts';
import { createConsoleApp } from './edge/server.ts';
import { FleetLink } from './fleet/fleet-link.ts';
import { Provider } from './session/provider.ts';
import { Sealer } from './session/sealed-text.ts';
import { Sessions } from './session/sessions.ts';

export interface ConsoleOverrides {
  readonly wallClock?: () => number;
}

export interface RunningConsole extends RunningService {
  readonly url: string;
}

const BUILT_PAGES = join(import.meta.dirname, '../web/dist');
const HOUR_MS = 3_600_000;
/** The deadline of a call to quota. It is longer than that of gateways, because no request waits for it. */
const QUOTA_DEADLINE_MS = 2_000;

/** Wires the console and starts listening. */
export async function start(
  settings: ConsoleSettings,
  logger: Logger,
  { wallClock = Date.now }: ConsoleOverrides = {},
): Promise<RunningConsole> {
  const tls = rpcClientTls(settings);
  await using starting = new AsyncDisposableStack();
  const catalog = starting.use(
    connectCatalogConsole({
      addresses: settings.CATALOG_ADMIN_ADDRESSES,
      key: settings.ASSERTION_KEY,
      tls,
      logger,
    }),
  );
  const quota =
    settings.QUOTA_ADDRESSES &&
    starting.use(
      connectQuota({
        addresses: settings.QUOTA_ADDRESSES,
        deadlineMs: QUOTA_DEADLINE_MS,
        tls,
        logger,
      }),
    );
  const usage =
    settings.USAGE_ADDRESS === undefined || settings.USAGE_TOKEN === undefined
      ? undefined
      : starting.use(
          connectUsage({ address: settings.USAGE_ADDRESS, token: settings.USAGE_TOKEN, tls }),
        );
  const fleet = starting.use(
    new FleetLink({
      access: busAccess(settings),
      subjects: subjectsUnder(settings.SUBJECT_PREFIX),
      clock: () => performance.now(),
      logger,
    }),
  );
  const publicUrl = settings.PUBLIC_URL;
  const sealer = new Sealer({ keys: settings.COOKIE_KEYS, wallClock });
  const sessionLifeMs = settings.SESSION_HOURS * HOUR_MS;
  const provider = providerOf(settings, sealer);
  const answers: Answers = {
    ...accountAnswers,
    ...organizationAnswers({ publicUrl, usage }),
    ...keyAnswers({ usage, wallClock }),
    ...usageAnswers({ usage, quota, wallClock }),
    ...fleetAnswers(fleet),
    ...platformAnswers,
  };
  const app = await createConsoleApp({
    catalog,
    answers,
    provider,
    signOutUrl: provider && (() => provider.signOutUrl()),
    sessions: new Sessions({ sealer, lifeMs: sessionLifeMs, wallClock }),
    sessionLifeMs,
    cookies: cookiesOf(publicUrl),
    cookieKey: settings.COOKIE_KEYS[0] ?? new Uint8Array(),
    deployment: {
      api_url: settings.API_URL,
      terms_url: settings.TERMS_URL ?? null,
      version: packageJson.version,
    },
    publicUrl,
    webRoot: settings.WEB_ROOT ?? BUILT_PAGES,
    trustedProxies: settings.TRUSTED_PROXIES,
    attemptsPerMinute: settings.SIGN_INS_PER_MINUTE,
    requestsPerMinute: settings.REQUESTS_PER_MINUTE,
    logger,
  });
  let hasReachedCatalog = false;
  catalog.ready().then(
    () => (hasReachedCatalog = true),
    () => undefined,
  );
  observe('sluice.console.fleet_connected', () => (fleet.connected ? 1 : 0));
  // For the name `localhost`, Fastify would listen on both of its addresses with two servers, but `app.server` is only
  // one of them: https://fastify.dev/docs/latest/Reference/Server/#listen
  const { address: host } = await lookup(settings.HOST);
  const url = await app.listen({ host, port: settings.PORT });
  logger.info({ url, publicUrl, provider: settings.OIDC_ISSUER ?? null }, 'listening');
  let announceMs = settings.DRAIN_ANNOUNCE_MS;
  let limitMs = settings.DRAIN_LIMIT_MS;
  let isStopping = false;
  starting.defer(async () => {
    isStopping = true;
    // Meanwhile load balancers notice that this process is not ready.
    await delay(announceMs);
    await withTimeout(limitMs, app.close());
    app.server.closeAllConnections();
  });
  const running = starting.move();
  return {
    url,
    readiness: () => ({
      // Once the catalog was reached, the console stays ready without it, and its pages say what is missing.
      ready: hasReachedCatalog && !isStopping,
      details: {
        catalog: catalog.state(),
        quota: quota === undefined ? 'not set up' : quota.state().replicas,
        usage: usage === undefined ? 'not set up' : 'set up',
        bus: fleet.connected ? 'connected' : 'disconnected',
      },
    }),
    shortenDrain: () => {
      announceMs = 0;
      limitMs = Math.min(limitMs, QUICK_DRAIN_MS);
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function providerOf(settings: ConsoleSettings, sealer: Sealer): Provider | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, PUBLIC_URL: publicUrl } = settings;
  const clientSecret = settings.OIDC_CLIENT_SECRET;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) {
    return undefined;
  }
  return new Provider({
    issuer,
    clientId,
    clientSecret,
    callbackUrl: `${publicUrl}/sign-in/callback`,
    signedOutUrl: `${publicUrl}/signed-out`,
    sealer,
  });
}
