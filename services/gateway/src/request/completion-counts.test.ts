import { expect, test } from 'vitest';
import { delta, failed, accepted, finished, setUp, usage } from '../dispatch/dispatch-fixture.ts';

const text = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('utf8');

test('the pieces of an answer are counted, and its end marks it finished', async () => {
  const { run, sink, counts } = setUp([
    [accepted(), delta('Hel'), delta('lo'), usage({ prompt_tokens: 1 }), finished()],
  ]);
  const piecesAtEnd: number[] = [];
  const finish = sink.finish.bind(sink);
  sink.finish = (reason) => {
    piecesAtEnd.push(counts.pieces);
    finish(reason);
  };
  const startedAt = performance.now();
  await run();
  expect(counts).toMatchObject({ pieces: 2, finished: true });
  expect(piecesAtEnd).toEqual([2]);
  expect(counts.firstPieceAt).toBeGreaterThanOrEqual(startedAt);
  expect(text(counts.usage)).toBe('{"prompt_tokens":1}');
  expect(sink.text).toBe('Hello');
});

test('the time of the first piece does not change with later ones', async () => {
  const { run, sink, counts, time } = setUp([[accepted(), delta('Hel'), delta('lo'), finished()]]);
  const times: (number | undefined)[] = [];
  const take = sink.delta.bind(sink);
  sink.delta = (body) => {
    times.push(counts.firstPieceAt);
    time.skippedMs += 1_000;
    take(body);
  };
  await run();
  expect(times).toEqual([counts.firstPieceAt, counts.firstPieceAt]);
  expect(counts.firstPieceAt).toBeDefined();
});

test('the pieces of a failed worker are not billed after another worker takes over', async () => {
  const { run, sink, counts } = setUp([
    [accepted(), delta('lost'), delta('lost'), usage({ prompt_tokens: 1 }), failed(true)],
    [accepted(), delta('Hello'), finished()],
  ]);
  // As in a reply without streaming, nothing reaches the client before the end.
  Object.defineProperty(sink, 'delivered', { value: false });
  await run();
  expect(counts).toMatchObject({ pieces: 1, usage: undefined, offers: 2, finished: true });
});

test('a failed request is not finished and keeps the count of delivered pieces', async () => {
  const { run, counts } = setUp([[accepted(), delta('Hel'), failed(true)]]);
  await expect(run()).rejects.toMatchObject({ code: 'upstream_unavailable' });
  expect(counts).toMatchObject({ pieces: 1, finished: false });
});
