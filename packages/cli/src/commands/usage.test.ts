import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { runCommandLine } from '../run-command-line.ts';
import { commands } from './index.ts';

async function usage(...parameters: string[]) {
  let error = '';
  const code = await runCommandLine(['usage', ...parameters], {
    commands,
    environment: {},
    folder: '/',
    print: () => undefined,
    printError: (text) => {
      error += text;
    },
  });
  return { code, error };
}

test.each(['a b', '', '*', '>', 'a\nb'])('%j is no organization', async (organization) => {
  const { code, error } = await usage(
    '--nats=nats://127.0.0.1:9',
    `--organization=${organization}`,
  );
  expect(error).toMatch(/^sluice usage: --organization must be 1 to 128 letters, digits, or /);
  expect(code).toBe(2);
});

/** A NATS server that gives the same answer to every JetStream request. */
async function natsAnswering(
  answer: (request: { subject: string; inbox: string | undefined }) => string,
): Promise<string> {
  const server = createServer((socket) => {
    socket.setEncoding('utf8');
    socket.write(
      'INFO {"server_id":"x","version":"2.10.0","proto":1,"headers":true,"max_payload":1048576}\r\n',
    );
    socket.on('data', (text: string) => {
      for (const line of text.split('\r\n')) {
        const [word, subject, inbox] = line.split(' ');
        if (word === 'PING') socket.write('PONG\r\n');
        if ((word === 'PUB' || word === 'HPUB') && subject?.startsWith('$JS.') === true) {
          socket.write(answer({ subject, inbox }));
        }
      }
    });
    socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
  });
  await once(server, 'listening');
  return `nats://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('NATS without JetStream is said to be so', async () => {
  const nats = await natsAnswering(
    ({ inbox }) => `HMSG ${inbox} 1 16 16\r\nNATS/1.0 503\r\n\r\n\r\n`,
  );
  expect(await usage(`--nats=${nats}`)).toEqual({
    code: 1,
    error: 'sluice usage: this NATS has no ledger: JetStream is not enabled there',
  });
});

test('a user who may not read the ledger is told which permission is missing', async () => {
  const nats = await natsAnswering(
    ({ subject }) => `-ERR 'Permissions Violation for Publish to "${subject}"'\r\n`,
  );
  const { code, error } = await usage(`--nats=${nats}`);
  expect(error).toMatch(/^sluice usage: this user may not read the ledger: .*"\$JS\.API\..*"$/);
  expect(code).toBe(1);
});
