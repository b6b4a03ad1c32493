import { parentPort } from 'node:worker_threads';
import { checkSchema, compiledCharacters, prepareSchema, warmUpCompilers } from './check-schema.ts';
import type { SchemaCheckOrder, SchemaThreadMessage } from './schema-thread-messages.ts';

const port = parentPort;
if (port === null) throw new Error('this file is the main file of a thread');

port.on('message', ({ schema, content }: SchemaCheckOrder) => {
  send({ kind: 'begun' });
  const verdict = content === undefined ? prepareSchema(schema) : checkSchema(schema, content);
  send({ kind: 'result', verdict, compiled: compiledCharacters() });
});
warmUpCompilers();
send({ kind: 'ready' });

function send(message: SchemaThreadMessage): void {
  port?.postMessage(message);
}
