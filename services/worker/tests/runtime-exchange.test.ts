import type { RequestListener } from 'node:http';
import { useLeakCheck, waitUntil } from '@sluice/testkit';
import { beforeEach, describe, expect, it } from 'vitest';
import type { RuntimeSupervisor } from '../src/runtime/runtime-supervisor.ts';
import { watched } from './watched-runtime.ts';

useLeakCheck();

/** What a runtime says on each of its pages: a text, a status, or null for nothing for ever. */
type Pages = Readonly<Record<string, string | number | null>>;

const NOBODY: Pages = { '/v1/models': '{"data":[]}' };
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

/** Whoever answers behind the address at this moment. */
let pages: Pages;
let asked: string[];
let looks: number;
let changes: number;

beforeEach(() => {
  pages = NOBODY;
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

/** Exchanges who answers, between two looks; the first is there from the beginning. */
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
    { onChange: () => void (changes += 1), onLook: () => void (looks += 1) },
  );
}

describe('a runtime that was exchanged between two looks', () => {
  it('is asked in its own way, and its own pages count', async () => {
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

  it('is a change, though it serves the same models in as many slots', async () => {
    await exchanging(VLLM, async (supervisor, exchange) => {
      await exchange(SGLANG);
      expect(supervisor.state.dialect.kind).toBe('sglang');
      expect(changes).toBe(1);
      await exchange(SGLANG);
      expect(changes).toBe(1);
    });
  });

  it('is asked in its own way as soon as it is known, however slow its other pages are', async () => {
    await exchanging(VLLM, async (supervisor, exchange) => {
      const lookedBefore = looks;
      const exchanged = exchange({ ...llamaCpp(3), '/props': null });
      await waitUntil(() => asked.includes('/props'), { what: 'the question that hangs' });
      expect(supervisor).toMatchObject({ up: true, state: { dialect: { kind: 'llama.cpp' } } });
      expect(looks).toBe(lookedBefore);
      await exchanged;
    });
  });

  it('is still taken for what it was while it lists no models', async () => {
    await exchanging(llamaCpp(3), async (supervisor, exchange) => {
      for (let time = 0; time < 2; time += 1) {
        await exchange(NOBODY);
        expect(supervisor).toMatchObject({ up: false, state: { dialect: { kind: 'llama.cpp' } } });
      }
    });
  });
});

describe('the slots of a llama.cpp server', () => {
  it('are those of the newest look, and others are a change', async () => {
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
    ['says nothing', null],
  ])('stay what they were while the page %s, and the server stays up', async (_, props) => {
    await exchanging(llamaCpp(4), async (supervisor, exchange) => {
      for (let time = 0; time < 2; time += 1) await exchange({ ...llamaCpp(1), '/props': props });
      expect(supervisor).toMatchObject({ up: true, state: { models: ['m'], slots: 4 } });
      expect(changes).toBe(0);
    });
  });
});

describe('a page of metrics that was not there', () => {
  it('is asked for at once where another kind has taken the place', async () => {
    await exchanging(llamaCpp(1), async (supervisor, exchange) => {
      await exchange(VLLM);
      expect(supervisor.state.load).toMatchObject({ running: 5 });
    });
  });
});
