/**
 * The main file of the thread that compiles schemas and checks replies against them. The thread reports its CPU time at
 * the start of each step, so that the main thread can end it when a step takes too much.
 */
import { parentPort } from 'node:worker_threads';
import { yieldToMainThread } from '@sluice/service/yield-to-main-thread';
import { checkContent, compiledCharacters, preparedSchema, warmUp } from './check-schema.ts';
import type { SchemaCheckRequest, SchemaThreadMessage } from './schema-thread.ts';

const port = parentPort;
if (port === null) throw new Error('this file must run in a worker thread');
yieldToMainThread();

port.on('message', ({ text, digest, content }: SchemaCheckRequest) => {
  begin('prepare');
  const validator = preparedSchema({ text, digest });
  const preparation = validator === undefined ? 'unreadable' : 'ready';
  if (content !== undefined) begin('check');
  const verdict = content === undefined ? 'unchecked' : checkContent(validator, content);
  send({ kind: 'result', preparation, verdict, compiled: compiledCharacters() });
});
warmUp();
send({ kind: 'ready' });

function begin(step: 'prepare' | 'check'): void {
  const { user, system } = process.threadCpuUsage();
  send({ kind: 'begun', step, cpuMs: (user + system) / 1_000 });
}

function send(message: SchemaThreadMessage): void {
  port?.postMessage(message);
}
