import type { TokenPrice } from '@sluice/contracts';
import { waitUntil } from '@sluice/devkit';
import * as z from 'zod';

/** A client that is refused waits before it tries again. */
const AFTER_REFUSAL_MS = 200;

const Completion = z.object({
  usage: z.object({
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    prompt_tokens_details: z.object({ cached_tokens: z.int() }),
  }),
});

export interface Answer {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly status: number;
  /** What it costs, in units of 10⁻¹² of the currency. */
  readonly cost: bigint;
}

export interface SpendingOptions {
  /** The addresses of gateways, over which the clients are spread. */
  readonly apiRoots: readonly string[];
  readonly key: string;
  readonly model: string;
  readonly clients: number;
  readonly price: TokenPrice;
}

export interface SpendingClients extends AsyncDisposable {
  /** All answers so far. */
  readonly answers: readonly Answer[];
}

/** Clients that send one request after another until they are disposed of. */
export function startSpending(options: SpendingOptions): SpendingClients {
  const { apiRoots, clients } = options;
  const answers: Answer[] = [];
  const stop = new AbortController();
  const spend = async (apiRoot: string) => {
    while (!stop.signal.aborted) {
      const answer = await complete(apiRoot, options);
      answers.push(answer);
      const againAt = answer.endedAt + AFTER_REFUSAL_MS;
      if (answer.status !== 200) {
        await waitUntil(() => performance.now() >= againAt, { what: 'the pause', everyMs: 50 });
      }
    }
  };
  const running = Array.from({ length: clients }, (_, index) =>
    spend(apiRoots[index % apiRoots.length] ?? ''),
  );
  return {
    answers,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await Promise.all(running);
    },
  };
}

async function complete(apiRoot: string, { key, model, price }: SpendingOptions): Promise<Answer> {
  const startedAt = performance.now();
  const reply = await fetch(`${apiRoot}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      messages: [{ role: 'user', content: 'Spend\n@sim {"tokens": 100, "itl_ms": 5}' }],
    }),
  });
  const body: unknown = await reply.json();
  const { status } = reply;
  const cost = status === 200 ? costOf(body, price) : 0n;
  return { startedAt, endedAt: performance.now(), status, cost };
}

function costOf(body: unknown, { input, cachedInput, output }: TokenPrice): bigint {
  const { prompt_tokens, completion_tokens, prompt_tokens_details } = Completion.parse(body).usage;
  const cached = prompt_tokens_details.cached_tokens;
  return (
    BigInt(prompt_tokens - cached) * input +
    BigInt(cached) * cachedInput +
    BigInt(completion_tokens) * output
  );
}
