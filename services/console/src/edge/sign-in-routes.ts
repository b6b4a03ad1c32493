import type { CatalogConsoleClient } from '@sluice/rpc';
import { count, initCounters, type Logger } from '@sluice/service';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { askAs } from '../answers/answers.ts';
import { ConsoleError } from '../answers/console-error.ts';
import type { ConsoleErrorCode } from '../api/errors.ts';
import { SignInError, type Provider } from '../session/provider.ts';
import { returnPath } from '../session/return-path.ts';
import type { Session, Sessions } from '../session/sessions.ts';
import type { Cookies } from './cookies.ts';

export interface SignInParts {
  readonly catalog: Pick<CatalogConsoleClient, 'call'>;
  readonly provider: Provider | undefined;
  readonly sessions: Sessions;
  readonly sessionLifeMs: number;
  readonly cookies: Cookies;
  readonly attemptsPerMinute: number;
  readonly logger: Logger;
}

const Query = z.object({
  return_to: z.string().optional(),
  token: z.string().max(256).optional(),
});

type Via = Session['via'];

/** The routes that sign people in. They always answer with a redirect, even if the sign-in fails. */
export function addSignInRoutes(app: FastifyInstance, parts: SignInParts): void {
  const { catalog, provider, sessions, cookies, logger } = parts;
  const ask = askAs(catalog, undefined);
  for (const via of ['provider', 'link'] as const) {
    initCounters('sluice.console.sign_ins', [
      { method: via, outcome: 'done' },
      { method: via, outcome: 'failed' },
    ]);
  }

  async function startSession(
    reply: FastifyReply,
    who: Parameters<Sessions['begin']>[0],
    to: string,
  ): Promise<FastifyReply> {
    // These cookies may be left over from an earlier session of this browser.
    cookies.clear(reply, 'attempt', 'csrf');
    cookies.setSession(reply, await sessions.begin(who), parts.sessionLifeMs);
    count('sluice.console.sign_ins', { method: who.via, outcome: 'done' });
    return reply.redirect(to, 303);
  }

  function refuse(reply: FastifyReply, via: Via, error: unknown): FastifyReply {
    count('sluice.console.sign_ins', { method: via, outcome: 'failed' });
    const code = codeOf(error);
    const { message } = error instanceof SignInError ? error : { message: undefined };
    logger.warn({ via, code, why: message }, 'a sign-in failed');
    cookies.clear(reply, 'attempt');
    return reply.redirect(`/signed-out?error=${code}`, 303);
  }

  function addRoute(path: string, via: Via, handle: SignInHandler): void {
    app.get(
      path,
      {
        config: {
          metricName: 'signIn',
          rateLimit: {
            max: parts.attemptsPerMinute,
            timeWindow: 60_000,
            keyGenerator: ({ ip }) => `sign-in ${ip}`,
          },
        },
      },
      async (request, reply) => {
        reply.header('cache-control', 'no-store');
        try {
          return await handle(Query.parse(request.query), reply, request);
        } catch (error) {
          return refuse(reply, via, error);
        }
      },
    );
  }

  function requireProvider(): Provider {
    if (provider !== undefined) return provider;
    throw new ConsoleError('not_set_up', 'There is no provider of OpenID Connect.');
  }

  addRoute('/sign-in', 'provider', async ({ return_to: named }, reply) => {
    const { url, cookie } = await requireProvider().begin(returnPath(named));
    cookies.setAttempt(reply, cookie);
    return reply.redirect(url, 303);
  });
  addRoute('/sign-in/callback', 'provider', async (_query, reply, request) => {
    const attempt = request.cookies[cookies.names.attempt] ?? '';
    const { identity, returnTo } = await requireProvider().finish(queryOf(request), attempt);
    const { account, generation } = await ask('SignIn', identity);
    return startSession(reply, { account, generation, via: 'provider' }, returnTo);
  });
  addRoute('/sign-in/link', 'link', async ({ token = '' }, reply) => {
    const { account, generation } = await ask('RedeemSignInLink', { token });
    return startSession(reply, { account, generation, via: 'link' }, '/');
  });
}

type SignInHandler = (
  query: z.infer<typeof Query>,
  reply: FastifyReply,
  request: FastifyRequest,
) => Promise<FastifyReply>;

function codeOf(error: unknown): ConsoleErrorCode {
  return error instanceof ConsoleError ? error.code : 'sign_in_failed';
}

function queryOf({ url }: FastifyRequest): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start);
}
