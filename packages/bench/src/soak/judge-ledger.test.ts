import type { RequestOutcome } from '@sluice/contracts';
import { describe, expect, it } from 'vitest';
import type { CountedTokens } from './answer-collector.ts';
import type { Exchange } from './exchange.ts';
import { FaultLog } from './fault-log.ts';
import { judgeLedger } from './judge-ledger.ts';
import type { RecordedOutcomes } from './read-ledger.ts';
import { SeenOutcomes } from './seen-outcomes.ts';

function reply(requestId: string | undefined, changes: Partial<Exchange> = {}): Exchange {
  return {
    origin: 'http://gateway',
    startedAt: 1_000,
    endedAt: 2_000,
    ending: 'complete',
    status: 200,
    headers: requestId === undefined ? {} : { 'x-request-id': requestId },
    answer: undefined,
    errorCode: undefined,
    unreadable: undefined,
    ...changes,
  };
}

const ANSWER = {
  reasoning: '',
  content: '',
  toolCalls: [],
  finishReason: 'stop',
  tokens: { prompt: 3, completion: 7 },
  done: true,
  errorCode: undefined,
  events: 9,
};

interface Case {
  readonly replies: readonly Exchange[];
  readonly records?: Readonly<Record<string, RequestOutcome>>;
  readonly changes?: Partial<RecordedOutcomes>;
  /** The tokens that the worker recorded. */
  readonly generated?: CountedTokens | undefined;
  readonly killed?: string;
  readonly killedAt?: number;
}

/** The names of the findings that are not ok. */
function faultsFound({
  replies,
  records = {},
  changes = {},
  killed = 'gateway',
  killedAt,
  ...rest
}: Case): string[] {
  const generated = 'generated' in rest ? rest.generated : ANSWER.tokens;
  const seenOutcomes = new SeenOutcomes();
  for (const one of replies) seenOutcomes.add(one);
  const faults = new FaultLog();
  if (killedAt !== undefined) faults.begin(`kill ${killed}`, killedAt);
  const recorded: RecordedOutcomes = {
    requests: new Map(
      Object.entries(records).map(([id, outcome]) => [
        id,
        { outcome, tokens: ANSWER.tokens, generated },
      ]),
    ),
    attempts: 0,
    orphaned: new Set(),
    storedAgain: 0,
    contradicted: [],
    unreadable: 0,
    readMs: 0,
    ...changes,
  };
  return judgeLedger({ seenOutcomes, recorded, faults, nameOf: () => 'gateway' })
    .filter(({ ok }) => !ok)
    .map(({ what }) => what);
}

const MISSING = 'every reply is in the ledger';
const DIFFERENT = 'the ledger says what clients saw';
const TWICE = 'nothing is in the ledger twice or without a cause';

describe('comparing the ledger with what clients saw', () => {
  it.each<[string, Exchange, RequestOutcome]>([
    ['a whole answer', reply('a', { answer: ANSWER }), 'completed'],
    ['a refusal', reply('a', { status: 429 }), 'refused'],
    ['a failure', reply('a', { status: 503, errorCode: 'rate_limit_unavailable' }), 'failed'],
    [
      'a broken stream',
      reply('a', { ending: 'cut', answer: { ...ANSWER, errorCode: 'x' } }),
      'failed',
    ],
    ['a client that left', reply('a', { ending: 'left' }), 'cancelled'],
  ])('accepts %s', (_, seen, outcome) => {
    expect(faultsFound({ replies: [seen], records: { a: outcome } })).toEqual([]);
  });

  it('finds a reply without a record', () => {
    expect(faultsFound({ replies: [reply('a')] })).toEqual([MISSING]);
  });

  it('accepts that records of the last moment of a killed gateway are missing, and no others', () => {
    expect(faultsFound({ replies: [reply('a')], killedAt: 2_500 })).toEqual([]);
    expect(faultsFound({ replies: [reply('a')], killedAt: 9_000 })).toEqual([MISSING]);
    expect(faultsFound({ replies: [reply('a')], killedAt: 500 })).toEqual([MISSING]);
  });

  it('accepts missing records only of the gateway that was killed', () => {
    const missed = { replies: [reply('a')], killedAt: 2_500 };
    expect(faultsFound({ ...missed, killed: 'gateway-2' })).toEqual([MISSING]);
  });

  it('requires that a request with an invalid key has no record', () => {
    const refused = reply('a', { status: 401, errorCode: 'invalid_api_key' });
    expect(faultsFound({ replies: [refused] })).toEqual([]);
    expect(faultsFound({ replies: [refused], records: { a: 'refused' } })).toEqual([DIFFERENT]);
  });

  it('finds a different outcome and different tokens', () => {
    expect(faultsFound({ replies: [reply('a')], records: { a: 'cancelled' } })).toEqual([
      DIFFERENT,
    ]);
    for (const tokens of [
      { prompt: 3, completion: 8 },
      { prompt: 4, completion: 7 },
    ]) {
      const other = reply('a', { answer: { ...ANSWER, tokens } });
      expect(faultsFound({ replies: [other], records: { a: 'completed' } })).toEqual([DIFFERENT]);
    }
  });

  it('requires an equal record of the worker, unless the worker was killed', () => {
    const answered = {
      replies: [reply('a', { answer: ANSWER })],
      records: { a: 'completed' },
    } as const;
    const generated = { prompt: 3, completion: 6 };
    expect(faultsFound({ ...answered, generated })).toEqual([DIFFERENT]);
    const unsaid = { ...answered, generated: undefined };
    expect(faultsFound(unsaid)).toEqual([MISSING]);
    expect(faultsFound({ ...unsaid, killedAt: 2_500 })).toEqual([MISSING]);
    expect(faultsFound({ ...unsaid, killed: 'worker-2', killedAt: 2_500 })).toEqual([]);
  });

  it('finds recorded requests that no client made, beyond those without a reply', () => {
    const records = { a: 'completed', b: 'completed' } as const;
    expect(faultsFound({ replies: [reply('a')], records })).toEqual([TWICE]);
    expect(faultsFound({ replies: [reply('a'), reply(undefined)], records })).toEqual([]);
    const orphaned = new Set(['c']);
    expect(
      faultsFound({ replies: [reply('a'), reply(undefined)], records, changes: { orphaned } }),
    ).toEqual([TWICE]);
  });

  it('finds two records, and two replies, of one id', () => {
    const records = { a: 'completed' } as const;
    expect(
      faultsFound({ replies: [reply('a')], records, changes: { contradicted: ['a'] } }),
    ).toEqual([TWICE]);
    expect(faultsFound({ replies: [reply('a'), reply('a')], records })).toEqual([TWICE]);
    expect(faultsFound({ replies: [reply('a')], records, changes: { storedAgain: 1 } })).toEqual([
      TWICE,
    ]);
  });
});
