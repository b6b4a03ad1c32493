import { createServer, type Socket } from 'node:net';

export interface TreacherousRedis extends AsyncDisposable {
  readonly port: number;
  /** The key of every script call that arrived, in order. */
  readonly scriptCalls: readonly string[];
  readonly connections: number;
}

/**
 * Speaks just enough of Redis, or of a cluster with one node, for a client to be ready; takes every script
 * call and then cuts the connection instead of answering: the moment at which a client would be tempted
 * to send it again.
 */
export async function startTreacherousRedis(): Promise<TreacherousRedis> {
  const scriptCalls: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  let port = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      for (;;) {
        const command = firstCommand(received);
        if (command === undefined) return;
        received = received.slice(command.length);
        const [name = '', ...values] = command.words;
        if (/^eval(sha)?$/i.test(name)) {
          scriptCalls.push(values[2] ?? '');
          socket.destroy();
          return;
        }
        socket.write(answerTo([name, ...values].join(' ').toLowerCase(), port));
      }
    });
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no address was given');
  port = address.port;
  return {
    port,
    scriptCalls,
    get connections() {
      return connections;
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      await closed.promise;
    },
  };
}

function answerTo(command: string, port: number): string {
  if (command.startsWith('hello')) return '-NOPROTO unsupported protocol version\r\n';
  if (command.startsWith('info')) return bulk('redis_version:7.0.0\r\nloading:0\r\nrole:master');
  if (command === 'cluster info') return bulk('cluster_state:ok');
  if (command === 'cluster slots') {
    return `*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n${bulk('127.0.0.1')}:${port}\r\n`;
  }
  return '+OK\r\n';
}

function bulk(text: string): string {
  return `$${text.length}\r\n${text}\r\n`;
}

/** The first whole command of some bytes in Redis's protocol. */
function firstCommand(text: string): { words: string[]; length: number } | undefined {
  const head = /^\*(\d+)\r\n/.exec(text);
  if (head === null) return undefined;
  let at = head[0].length;
  const words: string[] = [];
  for (let word = 0; word < Number(head[1]); word += 1) {
    const size = /^\$(\d+)\r\n/.exec(text.slice(at));
    if (size === null) return undefined;
    const from = at + size[0].length;
    const to = from + Number(size[1]);
    if (text.length < to + 2) return undefined;
    words.push(text.slice(from, to));
    at = to + 2;
  }
  return { words, length: at };
}
