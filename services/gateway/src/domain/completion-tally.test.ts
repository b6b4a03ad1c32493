import { beforeEach, describe, expect, test } from 'vitest';
import { CompletionTally, TallyingSink } from './completion-tally.ts';

const text = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('utf8');

let now: number;
let told: string[];
let tally: CompletionTally;
let sink: TallyingSink;

beforeEach(() => {
  now = 5;
  told = [];
  tally = new CompletionTally({ stream: true, inputTokens: 12 });
  const client = {
    delivered: false,
    started: () => told.push('started'),
    delta: (body: Uint8Array) => told.push(`delta ${text(body)}`),
    usage: (body: Uint8Array) => told.push(`usage ${text(body)}`),
    restart: () => told.push('restart'),
    finish: (reason: string) => told.push(`finish ${reason}`),
  };
  sink = new TallyingSink(client, tally, () => now);
});

describe('what a completion has used', () => {
  test('is counted piece by piece, and everything goes on to the client', () => {
    sink.started();
    sink.delta(Buffer.from('a'));
    now = 9;
    sink.delta(Buffer.from('b'));
    expect(tally).toMatchObject({ pieces: 2, firstPieceAt: 5, finished: false });
    sink.usage(Buffer.from('{}'));
    sink.finish('stop');
    expect(tally).toMatchObject({ finished: true });
    expect(text(tally.usage)).toBe('{}');
    expect(told).toEqual(['started', 'delta a', 'delta b', 'usage {}', 'finish stop']);
  });

  test('at a worker that failed is not on the bill of the one that took over', () => {
    sink.delta(Buffer.from('lost'));
    sink.usage(Buffer.from('{"prompt_tokens":1}'));
    sink.restart();
    expect(tally).toMatchObject({ pieces: 0, firstPieceAt: undefined, usage: undefined });
    now = 9;
    sink.delta(Buffer.from('a'));
    expect(tally).toMatchObject({ pieces: 1, firstPieceAt: 9 });
    expect(told).toEqual(['delta lost', 'usage {"prompt_tokens":1}', 'restart', 'delta a']);
  });
});
