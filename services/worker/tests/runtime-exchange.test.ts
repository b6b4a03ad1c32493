import type { RequestListener } from 'node:http';
import { useLeakCheck, waitUntil } from '@sluice/devkit';
import { beforeEach, describe, expect, it } from 'vitest';
import type { RuntimeSupervisor } from '../src/runtime/runtime-supervisor.ts';
import { watched } from './watched-runtime.ts';

useLeakCheck();

/** The responses of a runtime by path: a text, a status, or null for no response. */
type Pages = Readonly<Record<string, string | number | null>>;

const NO_MODELS: Pages = { '/v1/models': '{"data":[]}' };
const VLLM: Pages = {
  '/v1/models': '{"data":[{"id":"m","owned_by":"vllm"}]}',
  '/metrics': 'vllm:num_requests_running 5\n',
};
const SGLANG: Pages = { '/v1/models': '{"data":[{"id":"m","owned_by":"sglang"}]}' };
const llamaCpp = (slots: number): Pages => ({
  '/v1/models': '{"data":[{"id":"m","owned_by":"llamacpp"}]}',
  '/health': '{"status":"ok"}',
  '/props': JSON.stringify({ total_slots: slots }),
});

/** The runtime behind the address at this moment. */
let pages: Pages;
let asked: string[];
let looks: number;
let changes: number;

beforeEach(() => {
  pages = NO_MODELS;
  asked = [];
  looks = 0;
  changes = 0;
});

const answer: RequestListener = ({ url = '' }, response) => {
  asked.push(url);
  const page = url in pages ? pages[url] : 404;
  if (page === null) return;
  response.statusCode = typeof page === 'number' ? page : 200;
  response.end(typeof page === 'number' ? '{}' : page);
};

/** Replaces the runtime between two probes. The first one is there from the start. */
function exchanging(
  first: Pages,
  use: (supervisor: RuntimeSupervisor, exchange: (next: Pages) => Promise<void>) => Promise<void>,
): Promise<void> {
  pages = first;
  const nextLook = (before: number) =>
    waitUntil(() => looks > before, { what: 'a look', timeoutMs: 10_000 });
  return watched(
    answer,
    'auto',
    async (supervisor) => {
      await nextLook(0);
      changes = 0;
      await use(supervisor, async (next) => {
        pages = next;
        const before = looks;
        supervisor.probe();
        await nextLook(before);
      });
    },
    { onChange: () => void (changes += 1), onProbe: () => void (looks += 1) },
  );
}

describe('a runtime that was replaced between two probes', () => {
  it('is used with its own dialect and its own pages', async () => {
    await exchanging(VLLM, async (supervisor, exchange) => {
      expect(supervisor.state).toMatchObject({ dialect: { kind: 'vllm' }, load: { running: 5 } });
      await exchange(llamaCpp(3));
      expect(supervisor.state).toMatchObject({ dialect: { kind: 'llama.cpp' }, slots: 3 });
      expect(supervisor.state.load).toBeUndefined();
      await exchange(VLLM);
      expect(supervisor.state).toMatchObject({ dialect: { kind: 'vllm' }, load: { running: 5 } });
      expect(supervisor.state.slots).toBeUndefined();
    });
  });

  it('is a change, even if models and slots are the same', async () => {
    await exchanging(VLLM, async (supervisor, exchange) => {
      await exchange(SGLANG);
      expect(supervisor.state.dialect.kind).toBe('sglang');
      expect(changes).toBe(1);
      await exchange(SGLANG);
      expect(changes).toBe(1);
    });
  });

  it('is used with its own dialect at once, even if its other pages are slow', async () => {
    await exchanging(VLLM, async (supervisor, exchange) => {
      const lookedBefore = looks;
      const exchanged = exchange({ ...llamaCpp(3), '/props': null });
      await waitUntil(() => asked.includes('/props'), { what: 'the question that hangs' });
      expect(supervisor).toMatchObject({ up: true, state: { dialect: { kind: 'llama.cpp' } } });
      expect(looks).toBe(lookedBefore);
      await exchanged;
    });
  });

  it('keeps the dialect while it lists no models', async () => {
    await exchanging(llamaCpp(3), async (supervisor, exchange) => {
      for (let time = 0; time < 2; time += 1) {
        await exchange(NO_MODELS);
        expect(supervisor).toMatchObject({ up: false, state: { dialect: { kind: 'llama.cpp' } } });
      }
    });
  });
});

describe('the slots of a llama.cpp server', () => {
  it('are those of the newest probe, and a different number is a change', async () => {
    await exchanging(llamaCpp(4), async (supervisor, exchange) => {
      await exchange(llamaCpp(4));
      expect(changes).toBe(0);
      for (const slots of [1, 8]) {
        await exchange(llamaCpp(slots));
        expect(supervisor.state.slots).toBe(slots);
      }
      expect(changes).toBe(2);
    });
  });

  it.each([
    ['fails', 500],
    ['does not answer', null],
  ])('stay what they were while the page %s, and the server stays up', async (_, props) => {
    await exchanging(llamaCpp(4), async (supervisor, exchange) => {
      for (let time = 0; time < 2; time += 1) await exchange({ ...llamaCpp(1), '/props': props });
      expect(supervisor).toMatchObject({ up: true, state: { models: ['m'], slots: 4 } });
      expect(changes).toBe(0);
    });
  });
});

describe('a metrics page that was missing', () => {
  it('is asked for at once if another kind of runtime takes over', async () => {
    await exchanging(llamaCpp(1), async (supervisor, exchange) => {
      await exchange(VLLM);
      expect(supervisor.state.load).toMatchObject({ running: 5 });
    });
  });
});
