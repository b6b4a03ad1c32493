import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { estimateInputTokens, type Limits } from '@sluice/contracts';
import { RpcError, type CatalogAdminClient } from '@sluice/rpc';
import type { Tenant } from '../programs/tenant.ts';
import { exchange, type Exchange } from './exchange.ts';
import { judgeExchange, type Judgement } from './judge-exchange.ts';
import type { LimitModel } from './limit-model.ts';
import type { Random } from './random.ts';
import { answerTo, drawScenario, type Expectation } from './scenarios.ts';
import type { Tally } from './tally.ts';

export interface UserContext {
  /** The address of the API at each gateway. */
  readonly apiRoots: readonly string[];
  readonly tally: Tally;
  readonly random: Random;
  readonly stopping: AbortSignal;
}

/** A client that runs one scenario after another until it is stopped. */
export async function mixedUser(context: UserContext, { apiKey }: Tenant): Promise<void> {
  const { apiRoots, tally, random, stopping } = context;
  using agents = new Agents();
  while (!stopping.aborted) {
    const scenario = drawScenario(random);
    const root = random.pick(apiRoots);
    tally.issue();
    const seen = await exchange({
      url: `${root}/chat/completions`,
      method: 'POST',
      apiKey: scenario.apiKey ?? apiKey,
      body: scenario.body,
      agent: agents.of(root),
      ...scenario.options,
    });
    tally.add(scenario.name, judgeWithRoom(seen, scenario.expectation), seen);
    await delay(random.integer(0, 300));
  }
}

/** Judges a reply for an organization with ample limits. */
function judgeWithRoom(seen: Exchange, expected: Expectation): Judgement {
  const judged = judgeExchange(seen, expected);
  return judged.outcome === 'limited' ? { outcome: 'wrong', detail: 'refused by a limit' } : judged;
}

export const TIGHT_LIMITS: Limits = {
  requests_per_minute: 240,
  requests_per_day: 1_000_000,
  tokens_per_minute: 1_000_000,
  tokens_per_day: 100_000_000,
};

const SMALL_MESSAGES = [{ role: 'user' as const, content: 'Room?\n@sim {"tokens":2}' }];
const SMALL_BODY = JSON.stringify({ model: 'sluice-small', messages: SMALL_MESSAGES });
const SMALL_ANSWER = answerTo(SMALL_BODY, { counted: true });
const LIST: Expectation = { kind: 'list' };
/** The default ratio of a model. */
const TOKENS_PER_BYTE = 0.25;
const SMALL_TOKENS = estimateInputTokens({ messages: SMALL_MESSAGES }, TOKENS_PER_BYTE);

/** A client that exceeds the limits of its organization. Every reply is recorded in the model of the limits. */
export async function greedyUser(
  context: UserContext,
  { apiKey }: Tenant,
  model: LimitModel,
): Promise<void> {
  const { apiRoots, tally, random, stopping } = context;
  using agents = new Agents();
  while (!stopping.aborted) {
    const isCompletion = random.fraction() < 0.5;
    const root = random.pick(apiRoots);
    tally.issue();
    const seen = await sendOnce({ root, apiKey, agents, isCompletion });
    model.add(seen, isCompletion ? SMALL_TOKENS : 0);
    tally.add('greedy', judgeGreedy(seen, { isCompletion }), seen);
    await delay(random.integer(100, 500));
  }
}

/** Sends one completion for the greedy organization. Its reply has the counts of all limits. */
export async function sendGreedyRequest(
  root: string,
  { apiKey }: Tenant,
  { model, tally }: { model: LimitModel; tally: Tally },
): Promise<Exchange> {
  using agents = new Agents();
  tally.issue();
  const seen = await sendOnce({ root, apiKey, agents, isCompletion: true });
  model.add(seen, SMALL_TOKENS);
  tally.add('greedy', judgeGreedy(seen, { isCompletion: true }), seen);
  return seen;
}

async function sendOnce({
  root,
  apiKey,
  agents,
  isCompletion,
}: {
  root: string;
  apiKey: string;
  agents: Agents;
  isCompletion: boolean;
}): Promise<Exchange> {
  const agent = agents.of(root);
  return isCompletion
    ? exchange({
        url: `${root}/chat/completions`,
        method: 'POST',
        apiKey,
        body: SMALL_BODY,
        agent,
      })
    : exchange({ url: `${root}/models`, method: 'GET', apiKey, agent });
}

function judgeGreedy(seen: Exchange, { isCompletion }: { isCompletion: boolean }): Judgement {
  if (seen.status === 429 && seen.headers['retry-after'] === undefined) {
    return { outcome: 'wrong', detail: 'a 429 without Retry-After' };
  }
  return judgeExchange(seen, isCompletion ? SMALL_ANSWER : LIST);
}

export interface Revocation {
  readonly revokedAt: number;
  readonly refusedAt: number;
}

const REVOCATION_LIMIT_MS = 30_000;
const REVOKED: Expectation = { kind: 'refusal', status: 401, code: 'invalid_api_key' };

/** Creates keys, uses them, revokes them, and waits until every gateway refuses them. */
export async function revokingUser(
  context: UserContext,
  { tenant, admin }: { tenant: Tenant; admin: CatalogAdminClient },
  records: Revocation[],
): Promise<void> {
  const { apiRoots, tally, random, stopping } = context;
  using agents = new Agents();
  const { project, account } = tenant;
  while (!stopping.aborted) {
    const made = await retryWhileUnreachable(stopping, () =>
      admin.createApiKey({ project, name: 'to be revoked', creator: account }),
    );
    if (made === undefined) return;
    const read = async (root: string) => {
      tally.issue();
      const seen = await exchange({
        url: `${root}/models`,
        method: 'GET',
        apiKey: made.key,
        agent: agents.of(root),
      });
      return seen;
    };
    const first = await read(random.pick(apiRoots));
    tally.add('key revocation', judgeWithRoom(first, LIST), first);
    const revoked = await retryWhileUnreachable(stopping, () =>
      admin.revokeApiKey({ id: made.id }),
    );
    if (revoked === undefined) return;
    const revokedAt = performance.now();
    for (const root of apiRoots) {
      let seen = await read(root);
      while (seen.status !== 401 && isWithin(revokedAt, stopping)) {
        tally.add('key revocation', judgeWithRoom(seen, LIST), seen);
        await delay(100);
        seen = await read(root);
      }
      const refused = seen.status === 401;
      tally.add('key revocation', judgeWithRoom(seen, refused ? REVOKED : LIST), seen);
      if (!refused && performance.now() - revokedAt > REVOCATION_LIMIT_MS) {
        tally.addWrong('key revocation: a revoked key still works after 30 s');
      }
    }
    records.push({ revokedAt, refusedAt: performance.now() });
    await delay(random.integer(500, 2_000));
  }
}

function isWithin(revokedAt: number, stopping: AbortSignal): boolean {
  return !stopping.aborted && performance.now() - revokedAt <= REVOCATION_LIMIT_MS;
}

/** Repeats a call while the catalog cannot be reached. Undefined when the client is stopped. */
async function retryWhileUnreachable<Result>(
  stopping: AbortSignal,
  call: () => Promise<Result>,
): Promise<Result | undefined> {
  while (!stopping.aborted) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      await delay(300);
    }
  }
  return undefined;
}

/** Keeps connections open, with one pool per gateway, as clients do. */
class Agents implements Disposable {
  readonly #agents = new Map<string, Agent>();

  of(root: string): Agent {
    let agent = this.#agents.get(root);
    if (agent === undefined) {
      agent = new Agent({ keepAlive: true });
      this.#agents.set(root, agent);
    }
    return agent;
  }

  [Symbol.dispose](): void {
    for (const agent of this.#agents.values()) agent.destroy();
  }
}
