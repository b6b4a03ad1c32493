import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';

/** A Node process, and what it has written to its standard error so far. */
export interface NodeProcess {
  readonly pid: number;
  readonly errorOutput: () => Promise<string>;
}

/** Lets a process take any free port, so that several can be looked into. */
export const INSPECTABLE = { NODE_OPTIONS: '--inspect-port=0' } as const;

const OPEN_TIMEOUT_MS = 5_000;
const LOOK_EVERY_MS = 20;
const ADDRESS = /Debugger listening on (ws:\/\/\S+)/g;

const HeapUsage = z.object({
  result: z.object({ usedSize: z.number(), backingStorageSize: z.number().default(0) }),
});

/**
 * Makes a Node process collect its garbage, so that what is resident is what it needs, and gives the
 * bytes that its objects and buffers hold then. Asks through the inspector, which is opened for it by a
 * signal and closed again: the program knows nothing of it.
 */
export async function collectGarbage({ pid, errorOutput }: NodeProcess): Promise<number> {
  const known = addresses(await errorOutput()).length;
  process.kill(pid, 'SIGUSR1');
  const inspector = new WebSocket(await nextAddress(errorOutput, known));
  try {
    await opened(inspector);
    // What the first pass lets go of may itself hold more.
    for (let pass = 0; pass < 2; pass += 1) await call(inspector, 'HeapProfiler.collectGarbage');
    const { result } = HeapUsage.parse(await call(inspector, 'Runtime.getHeapUsage'));
    inspector.send(request('Runtime.evaluate', { expression: 'process._debugEnd()' }));
    await closed(inspector);
    return result.usedSize + result.backingStorageSize;
  } finally {
    inspector.close();
  }
}

function addresses(text: string): string[] {
  return [...text.matchAll(ADDRESS)].map(([, address = '']) => address);
}

async function nextAddress(errorOutput: () => Promise<string>, known: number): Promise<string> {
  const giveUpAt = performance.now() + OPEN_TIMEOUT_MS;
  for (;;) {
    const address = addresses(await errorOutput())[known];
    if (address !== undefined) return address;
    if (performance.now() > giveUpAt) throw new Error('the process opened no inspector');
    await delay(LOOK_EVERY_MS);
  }
}

/** One question at a time: every one may have the same number. */
function request(method: string, params: object = {}): string {
  return JSON.stringify({ id: 1, method, params });
}

async function opened(inspector: WebSocket): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  inspector.addEventListener('open', () => resolve(), { once: true });
  inspector.addEventListener('error', () => reject(new Error('the inspector refused')), {
    once: true,
  });
  return promise;
}

async function closed(inspector: WebSocket): Promise<void> {
  if (inspector.readyState === WebSocket.CLOSED) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  inspector.addEventListener('close', () => resolve(), { once: true });
  const timer = setTimeout(resolve, OPEN_TIMEOUT_MS);
  await promise;
  clearTimeout(timer);
}

async function call(inspector: WebSocket, method: string): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const answered = ({ data }: MessageEvent) => resolve(JSON.parse(String(data)));
  const gone = () => reject(new Error('the inspector closed'));
  inspector.addEventListener('message', answered, { once: true });
  inspector.addEventListener('close', gone, { once: true });
  inspector.send(request(method));
  try {
    return await promise;
  } finally {
    inspector.removeEventListener('message', answered);
    inspector.removeEventListener('close', gone);
  }
}
