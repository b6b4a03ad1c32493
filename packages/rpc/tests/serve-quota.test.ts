import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { Client, credentials, status, type ClientDuplexStream } from '@grpc/grpc-js';
import type { AdmissionDecision } from '@sluice/contracts';
import { useLeakCheck, waitUntil } from '@sluice/devkit';
import { connectQuota, serveQuota } from '@sluice/rpc';
import { createLogger } from '@sluice/service';
import { describe, expect, it } from 'vitest';
import { QUOTA_SERVICE } from '../src/quota-service.ts';
import { admission } from './replica-handlers.ts';

useLeakCheck();

const logger = createLogger({ service: 'test', level: 'silent' });
const address = { host: '127.0.0.1', port: 0 };

const windows = {
  requests_per_minute: { limit: 5, remaining: 4, resetMs: 12_000 },
  requests_per_day: null,
  tokens_per_minute: null,
  tokens_per_day: null,
};
const ADMITTED: AdmissionDecision = { outcome: 'admitted', windows, decidedAtMs: 1 };

describe('the quota server', () => {
  it('receives the admissions of one turn of the caller together', async () => {
    let turn = 0;
    const turns: number[] = [];
    await using server = await serveQuota({
      ...address,
      logger,
      handlers: {
        admit: async () => {
          if (turns.length === 0) setImmediate(() => (turn += 1));
          turns.push(turn);
          return ADMITTED;
        },
        peek: async () => ADMITTED,
      },
    });
    await using client = connectQuota({ addresses: [server.address], logger });
    await client.ready();
    const decisions = await Promise.all(
      Array.from({ length: 100 }, (_, index) => client.admit(admission(`o${index}`))),
    );
    expect(decisions).toStrictEqual(decisions.map(() => ADMITTED));
    expect(turns).toStrictEqual(Array(100).fill(0));
  });

  it('answers each admission when it is decided, whatever the order', async () => {
    const held = Promise.withResolvers<AdmissionDecision>();
    await using server = await serveQuota({
      ...address,
      logger,
      handlers: {
        admit: ({ organization }) =>
          organization === 'slow' ? held.promise : Promise.resolve(ADMITTED),
        peek: async () => ADMITTED,
      },
    });
    await using client = connectQuota({ addresses: [server.address], logger, deadlineMs: 5_000 });
    await client.ready();
    const slow = client.admit(admission('slow'));
    expect(await client.admit(admission('fast'))).toStrictEqual(ADMITTED);
    const refused: AdmissionDecision = {
      outcome: 'refused',
      windows,
      decidedAtMs: 2,
      refusedBy: 'tokens_per_minute',
      waitMs: 60_000,
      exceedsCapacity: true,
    };
    held.resolve(refused);
    expect(await slow).toStrictEqual(refused);
  });

  it('answers unavailable for an admission whose handler throws, and continues', async () => {
    await using server = await serveQuota({
      ...address,
      logger,
      handlers: {
        admit: ({ organization }) => {
          if (organization === 'bad') throw new Error('broken');
          return Promise.resolve(ADMITTED);
        },
        peek: () => Promise.reject(new Error('broken')),
      },
    });
    await using client = connectQuota({ addresses: [server.address], logger });
    await client.ready();
    const both = [client.admit(admission('bad')), client.admit(admission('good'))];
    expect(await Promise.all(both)).toStrictEqual([{ outcome: 'unavailable' }, ADMITTED]);
    await expect(client.peek(admission('any'))).rejects.toMatchObject({ code: 'internal' });
  });

  it('names the request in its log when an admission fails', async () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    await using server = await serveQuota({
      ...address,
      logger: createLogger({ service: 'quota', level: 'error', destination }),
      handlers: {
        admit: () => Promise.reject(new Error('broken')),
        peek: async () => ADMITTED,
      },
    });
    await using client = connectQuota({ addresses: [server.address], logger });
    await client.ready();
    await client.admit({ ...admission('acme'), requestId: 'request-1' });
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      { request: 'request-1', msg: 'admission failed' },
    ]);
  });

  it('answers accepted admissions before it stops', async () => {
    const held = Promise.withResolvers<AdmissionDecision>();
    const taken = Promise.withResolvers<void>();
    const server = await serveQuota({
      ...address,
      logger,
      handlers: {
        admit: () => {
          taken.resolve();
          return held.promise;
        },
        peek: async () => ADMITTED,
      },
    });
    await using client = connectQuota({ addresses: [server.address], logger, deadlineMs: 5_000 });
    await client.ready();
    const decision = client.admit(admission('a'));
    await taken.promise;
    const stopped = server[Symbol.asyncDispose]();
    held.resolve(ADMITTED);
    expect(await decision).toStrictEqual(ADMITTED);
    await stopped;
  });

  it('answers accepted admissions of a caller that has ended its side', async () => {
    const held = Promise.withResolvers<AdmissionDecision>();
    await using server = await serveQuota({
      ...address,
      logger,
      handlers: { admit: () => held.promise, peek: async () => ADMITTED },
    });
    using caller = new BytesClient(server.address, credentials.createInsecure());
    const call = caller.admit();
    const answers: Buffer[] = [];
    call.on('data', (bytes: Buffer) => answers.push(bytes));
    const ended = once(call, 'end');
    const question = { id: 1, request: admission('a'), traceparent: '' };
    call.write(QUOTA_SERVICE.Admit.requestSerialize([question]));
    call.end();
    // The same connection keeps the order, so the end has arrived when this call is answered.
    await caller.peek(QUOTA_SERVICE.Peek.requestSerialize(question));
    held.resolve(ADMITTED);
    await ended;
    expect(answers.map((bytes) => QUOTA_SERVICE.Admit.responseDeserialize(bytes))).toStrictEqual([
      { decisions: [{ id: 1, decision: ADMITTED }], draining: false },
    ]);
  });

  it('answers unavailable to a caller that has too many unanswered admissions', async () => {
    const MOST = 65_536;
    const held = Promise.withResolvers<AdmissionDecision>();
    await using server = await serveQuota({
      ...address,
      logger,
      handlers: { admit: () => held.promise, peek: async () => ADMITTED },
    });
    using caller = new BytesClient(server.address, credentials.createInsecure());
    const call = caller.admit();
    const answers: { readonly id: number; readonly decision: AdmissionDecision }[] = [];
    call.on('data', (bytes: Buffer) => {
      answers.push(...QUOTA_SERVICE.Admit.responseDeserialize(bytes).decisions);
    });
    const ended = once(call, 'end');
    const questions = Array.from({ length: MOST + 1 }, (_, id) => ({
      id,
      request: admission('a'),
      traceparent: '',
    }));
    call.write(QUOTA_SERVICE.Admit.requestSerialize(questions));
    call.end();
    await waitUntil(() => answers.length > 0, { what: 'the one that is turned away' });
    expect(answers).toStrictEqual([{ id: MOST, decision: { outcome: 'unavailable' } }]);
    held.resolve(ADMITTED);
    await ended;
    expect(answers).toHaveLength(MOST + 1);
  });

  it('disconnects a caller that reads no answers, and serves all others', async () => {
    let caller: { readonly gone: boolean } | undefined;
    await using server = await serveQuota({
      ...address,
      logger,
      handlers: {
        admit: async (_, __, from) => {
          caller = from;
          return ADMITTED;
        },
        peek: async () => ADMITTED,
      },
    });
    // A gRPC client would read ahead even if the test does not read.
    const connection = connectHttp2(`http://${server.address}`);
    using atEnd = new DisposableStack();
    atEnd.defer(() => connection.destroy());
    const call = connection.request({
      ':method': 'POST',
      ':path': QUOTA_SERVICE.Admit.path,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    const question = { id: 1, request: admission('a'), traceparent: '' };
    const message = QUOTA_SERVICE.Admit.requestSerialize(
      Array.from({ length: 50 }, () => question),
    );
    const head = Buffer.alloc(5);
    head.writeUInt32BE(message.length, 1);
    await waitUntil(
      () => {
        call.write(Buffer.concat([head, message]));
        return caller?.gone;
      },
      { what: 'its caller to be known to be gone', everyMs: 0, timeoutMs: 25_000 },
    );
    await using client = connectQuota({ addresses: [server.address], logger });
    await client.ready();
    expect(await client.admit(admission('a'))).toStrictEqual(ADMITTED);
  });

  it('ends a stream with invalid messages with an error, and serves all others', async () => {
    const held = Promise.withResolvers<AdmissionDecision>();
    let caller: { readonly gone: boolean } | undefined;
    await using server = await serveQuota({
      ...address,
      logger,
      handlers: {
        admit: ({ organization }, _, from) => {
          if (organization !== 'held') return Promise.resolve(ADMITTED);
          caller = from;
          return held.promise;
        },
        peek: async () => ADMITTED,
      },
    });
    await using client = connectQuota({ addresses: [server.address], logger });
    await client.ready();
    using strange = new BytesClient(server.address, credentials.createInsecure());
    const call = strange.admit();
    const ended = once(call, 'error');
    const question = { id: 1, request: admission('held'), traceparent: '' };
    call.write(QUOTA_SERVICE.Admit.requestSerialize([question]));
    await waitUntil(() => caller !== undefined, { what: 'an admission that waits' });
    call.write(Buffer.from([0x0a, 0x7f, 0x00]));
    expect(await ended).toMatchObject([{ code: status.INTERNAL }]);
    await waitUntil(() => caller?.gone, { what: 'its caller to be known to be gone' });
    held.resolve(ADMITTED);
    expect(await client.admit(admission('a'))).toStrictEqual(ADMITTED);
  });
});

/** Sends and receives raw bytes. */
class BytesClient extends Client implements Disposable {
  admit(): ClientDuplexStream<Buffer, Buffer> {
    const asTheyAre = (bytes: Buffer) => bytes;
    return this.makeBidiStreamRequest(QUOTA_SERVICE.Admit.path, asTheyAre, asTheyAre);
  }

  peek(question: Buffer): Promise<Buffer | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer | undefined>();
    const asTheyAre = (bytes: Buffer) => bytes;
    this.makeUnaryRequest(QUOTA_SERVICE.Peek.path, asTheyAre, asTheyAre, question, (error, reply) =>
      error === null ? resolve(reply) : reject(error),
    );
    return promise;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
