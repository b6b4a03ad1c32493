import { FrameKind, jsonFrame } from '@sluice/contracts';
import { describe, expect, test } from 'vitest';
import { heartbeatOf } from '../fleet/heartbeat-fixture.ts';
import { orderTargets } from '../fleet/order-targets.ts';
import { accepted, delta, failed, job, load, refused, setUp, whole } from './dispatch-fixture.ts';

const model = {
  ...job.examined.model,
  targets: [
    { name: 'one', pool: 'one', runtime_model: 'large-1', weight: 1 },
    { name: 'two', pool: 'two', runtime_model: 'large-2', weight: 1 },
  ],
};
const [own, other] = orderTargets(model, job.examined.conversation);
if (other === undefined) throw new Error('a target is missing');

const draining = () => jsonFrame(FrameKind.refused, { reason: 'draining', load });

/** A dispatcher and workers `own-0`, `own-1`, `other-0`, … which follow a script. */
function setUpTargets(
  script: Parameters<typeof setUp>[0],
  { workers = { own: 1, other: 1 } }: { workers?: { own: number; other: number } } = {},
) {
  const parts = setUp(script, []);
  const add = (pool: string, runtimeModel: string, id: string) =>
    parts.fleet.update(heartbeatOf(id, { pool, models: [runtimeModel] }));
  for (let index = 0; index < workers.own; index += 1) {
    add(own.pool, own.runtime_model, `own-${index}`);
  }
  for (let index = 0; index < workers.other; index += 1) {
    add(other?.pool ?? '', other?.runtime_model ?? '', `other-${index}`);
  }
  const examined = { ...job.examined, model };
  return { ...parts, run: () => parts.run({ ...job, examined }) };
}

describe('a job of a model with two targets', () => {
  test('goes to its own target, with the model name of that runtime', async () => {
    const { run, offers, counts } = setUpTargets([whole], { workers: { own: 2, other: 2 } });
    await run();
    expect(offers).toHaveLength(1);
    expect(offers[0]?.worker).toMatch(/^own-/);
    expect(offers[0]?.header).toMatchObject({
      model: 'acme/large',
      runtime_model: own.runtime_model,
    });
    expect(counts.target).toBe(own.name);
  });

  test('goes to the other one if its own has no worker', async () => {
    const { run, sink, offers, counts } = setUpTargets([whole], { workers: { own: 0, other: 1 } });
    await run();
    expect(sink.text).toBe('Hello');
    expect(offers[0]?.header.runtime_model).toBe(other.runtime_model);
    expect(counts.target).toBe(other.name);
  });

  test('goes to the other target after three workers of its own target were full', async () => {
    const full = [refused()];
    const { run, sink, offeredTo } = setUpTargets([full, full, full, whole], {
      workers: { own: 4, other: 1 },
    });
    await run();
    expect(sink.text).toBe('Hello');
    expect(
      offeredTo()
        .slice(0, 3)
        .every((worker) => worker.startsWith('own-')),
    ).toBe(true);
    expect(offeredTo()[3]).toBe('other-0');
  });

  test('is retried at the other one if its own has no other worker', async () => {
    const { run, sink, offeredTo, counts } = setUpTargets([[accepted(), failed(true)], whole]);
    await run();
    expect([sink.text, sink.restarts]).toEqual(['Hello', 1]);
    expect(offeredTo()).toEqual(['own-0', 'other-0']);
    expect(counts.target).toBe(other.name);
  });

  test('is retried at its own one as long as that has another worker', async () => {
    const { run, offeredTo } = setUpTargets([[accepted(), failed(true)], whole], {
      workers: { own: 2, other: 1 },
    });
    await run();
    expect(offeredTo().every((worker) => worker.startsWith('own-'))).toBe(true);
  });

  test('goes to the other target at once if the last worker of its own target returns it', async () => {
    const { run, sink, offeredTo } = setUpTargets([[accepted(), draining()], whole]);
    await run();
    expect(sink.text).toBe('Hello');
    expect(offeredTo()).toEqual(['own-0', 'other-0']);
  });

  test('is not repeated elsewhere once a part of the answer is out', async () => {
    const { run, offeredTo } = setUpTargets([[accepted(), delta('Hel'), failed(true)], whole]);
    await expect(run()).rejects.toMatchObject({ code: 'upstream_unavailable' });
    expect(offeredTo()).toEqual(['own-0']);
  });

  test('is refused if all targets are full, and says when the first one has room', async () => {
    const { run } = setUpTargets([[refused(9_000)], [refused(4_000)]]);
    await expect(run()).rejects.toMatchObject({
      code: 'infrastructure_rate_limit_exceeded',
      retryAfterMs: 4_000,
    });
  });

  test('is refused as unserved if no target has a worker', async () => {
    const { run, offers } = setUpTargets([], { workers: { own: 0, other: 0 } });
    await expect(run()).rejects.toMatchObject({ code: 'infrastructure_rate_limit_exceeded' });
    expect(offers).toEqual([]);
  });
});
