import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';

/** A Node process, and the text of its standard error so far. */
export interface NodeProcess {
  readonly pid: number;
  readonly errorOutput: () => Promise<string>;
}

/** Lets each process open its inspector on any free port. */
export const INSPECTABLE = { NODE_OPTIONS: '--inspect-port=0' } as const;

const OPEN_TIMEOUT_MS = 5_000;
const CHECK_EVERY_MS = 20;
const ADDRESS = /Debugger listening on (ws:\/\/\S+)/g;

const HeapUsage = z.object({
  result: z.object({ usedSize: z.number(), backingStorageSize: z.number().default(0) }),
});

/**
 * Makes a Node process collect its garbage, so that its resident memory is what it needs. Returns the bytes that its
 * objects and buffers hold afterwards. A signal opens the inspector for this, and it is closed again. The program
 * itself is not involved.
 */
export async function collectGarbage({ pid, errorOutput }: NodeProcess): Promise<number> {
  const known = new Set(addresses(await errorOutput()));
  process.kill(pid, 'SIGUSR1');
  const inspector = new WebSocket(await nextAddress(errorOutput, known));
  try {
    await opened(inspector);
    // Objects that the first pass frees can keep other objects alive until the second one.
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

/** The address is recognized by its unique path, because a log that has reached its maximum size starts again. */
async function nextAddress(
  errorOutput: () => Promise<string>,
  known: ReadonlySet<string>,
): Promise<string> {
  const giveUpAt = performance.now() + OPEN_TIMEOUT_MS;
  for (;;) {
    const address = addresses(await errorOutput()).find((one) => !known.has(one));
    if (address !== undefined) return address;
    if (performance.now() > giveUpAt) throw new Error('the process opened no inspector');
    await delay(CHECK_EVERY_MS);
  }
}

/** Requests can share one id, because only one is under way at a time. */
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
  const onClose = () => reject(new Error('the inspector closed'));
  inspector.addEventListener('message', answered, { once: true });
  inspector.addEventListener('close', onClose, { once: true });
  inspector.send(request(method));
  try {
    return await promise;
  } finally {
    inspector.removeEventListener('message', answered);
    inspector.removeEventListener('close', onClose);
  }
}
