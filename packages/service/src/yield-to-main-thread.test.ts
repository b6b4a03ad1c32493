import { once } from 'node:events';
import { getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';

test.runIf(process.platform === 'linux')(
  'a thread that yields slows nothing but itself',
  async () => {
    const before = getPriority(0);
    const module = new URL('yield-to-main-thread.ts', import.meta.url).href;
    const thread = new Worker(
      `import { getPriority } from 'node:os';
     import { parentPort } from 'node:worker_threads';
     import { yieldToMainThread } from ${JSON.stringify(module)};
     yieldToMainThread();
     parentPort.postMessage(getPriority(0));`,
      { eval: true, execArgv: ['--input-type=module'] },
    );
    expect(await once(thread, 'message')).toEqual([Math.min(before + 5, 19)]);
    expect(getPriority(0)).toBe(before);
    await thread.terminate();
  },
);
