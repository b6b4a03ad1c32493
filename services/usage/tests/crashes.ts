import type { RequestRecord } from '@sluice/contracts';
import { waitUntil } from '@sluice/devkit';
import type { UsageClient } from '@sluice/rpc';
import { expect } from 'vitest';
import { attemptOf, NOON, requestOf } from './records.ts';
import type { LedgerWriter } from './usage-under-test.ts';

/** What was written to the ledger. The sums of usage are compared with it. */
export class Expected {
  requests = 0;
  attempts = 0;
  outputTokens = 0;
  inputTokens = 0;
  generatedTokens = 0;
  readonly ids: string[] = [];
}

const OUTCOMES = ['completed', 'failed', 'cancelled', 'refused'] as const;
const ORGANIZATIONS = 7;

/** Writes requests with an attempt each, and some that were refused. */
export function writeSome(ledger: LedgerWriter, expected: Expected, count: number): void {
  for (let written = 0; written < count; written += 1) {
    const number = expected.ids.length;
    const id = `request-${number}`;
    expected.ids.push(id);
    const tokens = number % 50;
    const outcome = OUTCOMES[number % OUTCOMES.length] ?? 'completed';
    const record: RequestRecord = requestOf({
      id,
      outcome,
      organization: `org-${number % ORGANIZATIONS}`,
      received_at_ms: NOON + number,
      delivered_tokens: tokens,
      usage:
        outcome === 'completed'
          ? { input_tokens: 9, cached_tokens: 0, output_tokens: tokens, reasoning_tokens: 0 }
          : null,
    });
    expected.requests += 1;
    expected.outputTokens += tokens;
    expected.inputTokens += inputTokens(outcome, tokens);
    if (outcome === 'refused') {
      ledger.refusal(record);
      continue;
    }
    ledger.request(record);
    ledger.attempt(attemptOf({ id: `${id}-1`, request: id, generated_tokens: tokens + 1 }));
    expected.attempts += 1;
    expected.generatedTokens += tokens + 1;
  }
}

/** A request that is not completed counts its estimate, which is 4, if anything was delivered. */
function inputTokens(outcome: string, delivered: number): number {
  if (outcome === 'completed') return 9;
  return delivered > 0 ? 4 : 0;
}

/** Waits until usage has read everything, and compares the sums and every single request. */
export async function expectEverythingOnce(
  client: UsageClient,
  { ids, ...sums }: Expected,
): Promise<void> {
  await waitUntil(
    async () => {
      const { total } = await client.sumUsage({});
      return (total?.requests ?? 0) >= sums.requests && (total?.attempts ?? 0) >= sums.attempts;
    },
    { what: 'usage to catch up', timeoutMs: 60_000, everyMs: 200 },
  );
  for (const by of [[], ['organization', 'hour']]) {
    const { groups, total } = await client.sumUsage({ by });
    expect(total).toMatchObject(sums);
    const counted = groups.reduce((sum, group) => sum + (group.sums?.requests ?? 0), 0);
    expect(counted).toBe(sums.requests);
  }
  const listed: string[] = [];
  let page = '';
  do {
    const reply = await client.listRequests({ limit: 1_000, page });
    listed.push(...reply.requests.map(({ id }) => id));
    page = reply.nextPage;
  } while (page !== '');
  expect(listed.toSorted()).toEqual(ids.toSorted());
}
