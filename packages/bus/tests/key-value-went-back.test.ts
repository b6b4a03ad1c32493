import { waitUntil } from '@sluice/devkit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { bytes, connectTo, keepView, openWithCopy, write } from './key-value-fixture.ts';
import { NatsProcess } from './nats-process.ts';

describe('a watch of a store that went back in time', () => {
  it('starts over when the store has lost its last changes', async () => {
    await using own = await NatsProcess.start();
    await using bus = await connectTo(own);
    const store = await openWithCopy(bus, { server: own, bucket: 'rollback' });
    const { view, calls, watcher } = keepView();
    await using watch = await store.watch(watcher);
    await write(store, { lost: 'y', gone: 'z' });
    await waitUntil(() => view.size === 3, { what: 'the changes' });

    const { epoch } = store;
    await own.kill();
    await own.restoreData();
    await own.start();
    await waitUntil(() => calls.resets.length === 1 && watch.live, { what: 'the older store' });
    expect(Object.fromEntries(view)).toEqual({ kept: 'x' });
    // This sequence was seen before, for another change.
    await write(store, { other: 'w' });
    await waitUntil(() => view.size === 2, { what: 'the next change' });
    expect(Object.fromEntries(view)).toEqual({ kept: 'x', other: 'w' });
    expect(calls.resets).toEqual([epoch + 1]);
    expect(await store.end()).toEqual({ epoch: epoch + 1, sequence: 2 });

    // Restores the same copy again, which does not have the new epoch.
    await own.kill();
    await own.restoreData();
    await own.start();
    await waitUntil(() => calls.resets.length === 2 && watch.live, { what: 'the copy, again' });
    expect(calls.resets).toEqual([epoch + 1, epoch + 2]);
    await using newcomer = await connectTo(own);
    const opened = await newcomer.openKeyValue({ bucket: 'rollback', replicas: 1 });
    expect(opened.epoch).toBe(epoch + 2);
  });

  it('starts over when an older copy was written to before it looked', async () => {
    await using own = await NatsProcess.start();
    await using bus = await connectTo(own);
    const store = await openWithCopy(bus, { server: own, bucket: 'fork' });
    const { view, calls, watcher } = keepView();
    await using watch = await store.watch(watcher);
    await write(store, { lost: 'y' });
    await waitUntil(() => view.size === 2, { what: 'the change' });
    const { epoch } = store;

    await own.kill();
    await own.restoreData();
    await own.start();
    await using writer = await connectTo(own);
    const copy = await writer.openKeyValue({ bucket: 'fork', replicas: 1 });
    await write(copy, { kept: 'z', more: 'w', last: 'v' });
    await waitUntil(() => watch.live && view.get('last') === 'v', { what: 'the changed copy' });
    expect(Object.fromEntries(view)).toEqual({ kept: 'z', more: 'w', last: 'v' });
    expect(calls.resets).toEqual([epoch + 1]);
  });

  it('starts over when another client gave the store a new epoch', async () => {
    await using own = await NatsProcess.start();
    await using bus = await connectTo(own);
    const store = await bus.openKeyValue({ bucket: 'renewed', replicas: 1 });
    await write(store, { kept: 'x' });
    const { view, calls, watcher } = keepView();
    await using watch = await store.watch(watcher);
    const epoch = store.epoch + 1_000;
    await using operator = await connectTo(own);
    const ask = async (request: string, body?: object) => {
      const { data } = await operator.request(
        `$JS.API.STREAM.${request}.KV_renewed`,
        bytes(body === undefined ? '' : JSON.stringify(body)),
        { timeoutMs: 2_000 },
      );
      return z
        .object({ config: z.record(z.string(), z.unknown()) })
        .parse(JSON.parse(Buffer.from(data).toString()));
    };
    const { config } = await ask('INFO');
    await ask('UPDATE', { ...config, metadata: { 'sluice-epoch': String(epoch) } });
    await waitUntil(() => calls.resets.length === 1 && watch.live, {
      what: 'the new epoch',
      timeoutMs: 10_000,
    });
    expect(calls.resets).toEqual([epoch]);
    expect(Object.fromEntries(view)).toEqual({ kept: 'x' });
  });
});
