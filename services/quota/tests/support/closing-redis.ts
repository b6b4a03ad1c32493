import { createServer, type Socket } from 'node:net';

export interface ClosingRedis extends AsyncDisposable {
  readonly port: number;
  /** The keys of all script calls that arrived, in order. */
  readonly scriptCalls: readonly string[];
}

/**
 * Implements just enough of Redis, or of the only master of a cluster, for a client to be ready. It receives each
 * script call and then closes the connection instead of answering, so that a client could send the call again.
 */
export async function startClosingRedis(): Promise<ClosingRedis> {
  // A cluster client stays ready, and could retry, only if there is another node.
  await using started = new AsyncDisposableStack();
  const ports: number[] = [];
  const scriptCalls: string[] = [];
  const master = started.use(await startNode(ports, scriptCalls));
  started.use(await startNode(ports, scriptCalls));
  const owned = started.move();
  return {
    port: master.port,
    scriptCalls,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Starts one node. Its port is added to those that all nodes announce, the master's first. */
async function startNode(ports: number[], scriptCalls: string[]): Promise<ClosingRedis> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
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
        socket.write(answerTo([name, ...values].join(' ').toLowerCase(), ports));
      }
    });
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no address was given');
  ports.push(address.port);
  return {
    port: address.port,
    scriptCalls,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      await closed.promise;
    },
  };
}

function answerTo(command: string, ports: readonly number[]): string {
  if (command.startsWith('hello')) return '-NOPROTO unsupported protocol version\r\n';
  if (command.startsWith('info')) return bulk('redis_version:7.0.0\r\nloading:0\r\nrole:master');
  if (command === 'cluster info') return bulk('cluster_state:ok');
  if (command === 'cluster slots') {
    const nodes = ports.map((port) => `*2\r\n${bulk('127.0.0.1')}:${port}\r\n`);
    return `*1\r\n*${2 + nodes.length}\r\n:0\r\n:16383\r\n${nodes.join('')}`;
  }
  return '+OK\r\n';
}

function bulk(text: string): string {
  return `$${text.length}\r\n${text}\r\n`;
}

/** The first complete command in these bytes of the Redis protocol. */
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
