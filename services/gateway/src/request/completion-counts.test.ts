import { expect, test } from 'vitest';
import { delta, failed, accepted, finished, setUp, usage } from './dispatch-fixture.ts';

const text = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('utf8');

test('what a completion gives is counted piece by piece, and is finished with its end', async () => {
  const { run, sink, tally } = setUp([
    [accepted(), delta('Hel'), delta('lo'), usage({ prompt_tokens: 1 }), finished()],
  ]);
  const piecesAtEnd: number[] = [];
  const finish = sink.finish.bind(sink);
  sink.finish = (reason) => {
    piecesAtEnd.push(tally.pieces);
    finish(reason);
  };
  const startedAt = performance.now();
  await run();
  expect(tally).toMatchObject({ pieces: 2, finished: true });
  expect(piecesAtEnd).toEqual([2]);
  expect(tally.firstPieceAt).toBeGreaterThanOrEqual(startedAt);
  expect(text(tally.usage)).toBe('{"prompt_tokens":1}');
  expect(sink.text).toBe('Hello');
});

test('the time of the first piece is not that of a later one', async () => {
  const { run, sink, tally, time } = setUp([[accepted(), delta('Hel'), delta('lo'), finished()]]);
  const times: (number | undefined)[] = [];
  const take = sink.delta.bind(sink);
  sink.delta = (body) => {
    times.push(tally.firstPieceAt);
    time.skippedMs += 1_000;
    take(body);
  };
  await run();
  expect(times).toEqual([tally.firstPieceAt, tally.firstPieceAt]);
  expect(tally.firstPieceAt).toBeDefined();
});

test('what a failed worker gave is not billed with the answer of the worker that took over', async () => {
  const { run, sink, tally } = setUp([
    [accepted(), delta('lost'), delta('lost'), usage({ prompt_tokens: 1 }), failed(true)],
    [accepted(), delta('Hello'), finished()],
  ]);
  // Nothing reaches the client before the end, as in a reply that does not stream.
  Object.defineProperty(sink, 'delivered', { value: false });
  await run();
  expect(tally).toMatchObject({ pieces: 1, usage: undefined, offers: 2, finished: true });
});

test('a request that failed is not finished, and keeps the count of what was delivered', async () => {
  const { run, tally } = setUp([[accepted(), delta('Hel'), failed(true)]]);
  await expect(run()).rejects.toMatchObject({ code: 'upstream_unavailable' });
  expect(tally).toMatchObject({ pieces: 1, finished: false });
});
