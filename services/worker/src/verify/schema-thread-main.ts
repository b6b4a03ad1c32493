import { parentPort } from 'node:worker_threads';
import { checkContent, compiledCharacters, preparedSchema, warmUp } from './check-schema.ts';
import type { SchemaCheckOrder, SchemaThreadMessage } from './schema-thread-messages.ts';

const port = parentPort;
if (port === null) throw new Error('this file is the main file of a thread');

port.on('message', ({ text, digest, content }: SchemaCheckOrder) => {
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
