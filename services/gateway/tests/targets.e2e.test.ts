import { ServiceProcess, useLeakCheck, useStack, waitUntil } from '@sluice/devkit';
import { findFreePort } from '@sluice/servers';
import { expect, test } from 'vitest';
import { World } from './conformance/world.ts';
import { eventsOf } from './event-stream-reader.ts';
import { storedOutcomes } from './stored-outcomes.ts';

useLeakCheck();
const stack = useStack({ environment: { SIMULATOR_TTFT_MS: '5' } });

const CONVERSATIONS = 16;
const NUMBERS = Array.from({ length: CONVERSATIONS }, (_, number) => number);
const MODEL = 'suite/split';
const STABLE = { pool: 'default', runtime_model: 'sluice-small' };
const CANARY = { pool: 'canary', runtime_model: 'sluice-demo' };
const SHORT = { tokens: 3, reasoning: 0 };
/** Long enough to last until the weights have changed. */
const LONG = { tokens: 600, reasoning: 0, itl_ms: 4 };

/** A worker of the second pool, at the runtime of the stack. */
async function startCanary(): Promise<ServiceProcess> {
  const healthPort = String(await findFreePort());
  const { url } = await stack().service('simulator');
  return ServiceProcess.start({
    name: 'canary',
    entry: 'services/worker/src/main.ts',
    settings: {
      POOL: CANARY.pool,
      RUNTIME_URL: url,
      NATS_URL: stack().natsUrl,
      HEALTH_HOST: '127.0.0.1',
      HEALTH_PORT: healthPort,
    },
    readyUrl: `http://127.0.0.1:${healthPort}/readyz`,
  });
}

async function waitForTwoWorkers(): Promise<void> {
  const { healthUrl } = await stack().service('gateway');
  await waitUntil(
    async () => {
      const health = (await (await fetch(healthUrl ?? '')).json()) as { workers: unknown[] };
      return health.workers.length === 2;
    },
    { what: 'both workers to be known' },
  );
}

test('two pools share the conversations of a model, and one is drained without an error', async () => {
  await using world = await World.open(stack());
  await using canary = await startCanary();
  await waitForTwoWorkers();
  const { id: organization, key } = await world.tenant();
  const documentOf = (canaryWeight: number) => {
    const targets = [
      { ...STABLE, weight: 1 },
      { ...CANARY, weight: canaryWeight },
    ];
    return { id: MODEL, owned_by: 'suite', context_length: 2_000, targets };
  };
  await world.create('models', documentOf(1));

  /** Begins a turn of a conversation. Resolves with the status; `text` is the whole stream. */
  const begin = async (number: number, sim: object = SHORT) => {
    const messages = [
      { role: 'user', content: `Conversation ${number}` },
      { role: 'assistant', content: 'Yes?' },
      { role: 'user', content: `@sim ${JSON.stringify(sim)}` },
    ];
    const reply = await world.complete({ model: MODEL, stream: true, messages }, key);
    expect(reply.status).toBe(200);
    return { id: reply.headers.get('x-request-id') ?? '', text: reply.text() };
  };
  /** Asks one turn of each conversation, checks every chunk, and returns their targets. */
  const askAll = async () => {
    const turns = await Promise.all(NUMBERS.map((number) => begin(number)));
    for (const { text } of turns) expectWholeStream(await text);
    return targetsOf(turns.map(({ id }) => id));
  };
  const targetsOf = (ids: readonly string[]) =>
    waitUntil(
      async () => {
        const targets = new Map<string, string | null>();
        for (const record of await storedOutcomes(stack(), organization)) {
          if (record.kind === 'request') targets.set(record.id, record.target);
        }
        return ids.every((id) => targets.has(id)) ? ids.map((id) => targets.get(id)) : undefined;
      },
      { what: 'the outcomes to be in the ledger' },
    );

  const targets = await askAll();
  expect(new Set(targets)).toEqual(new Set([STABLE.pool, CANARY.pool]));
  expect(await askAll()).toEqual(targets);

  const running = await Promise.all(NUMBERS.map((number) => begin(number, LONG)));
  await world.update('models', documentOf(0));
  const moved = targets.indexOf(CANARY.pool);
  await waitUntil(
    async () => {
      const { id, text } = await begin(moved);
      expectWholeStream(await text);
      return (await targetsOf([id]))[0] === STABLE.pool;
    },
    { what: 'the gateway to follow the change' },
  );
  expect(new Set(await askAll())).toEqual(new Set([STABLE.pool]));
  for (const { text } of running) expectWholeStream(await text);
  expect(await targetsOf(running.map(({ id }) => id))).toEqual(targets);

  // If the pool gets conversations again but has no worker any more, the other pool serves them.
  await world.update('models', documentOf(1));
  await canary.end('SIGTERM');
  expect(new Set(await askAll())).toEqual(new Set([STABLE.pool]));
});

/** Checks that the stream is complete and that each chunk names the model of the catalog. */
function expectWholeStream(text: string): void {
  const events = eventsOf(text);
  expect(events.at(-1)).toBe('[DONE]');
  const chunks = events.slice(0, -1).map((data) => JSON.parse(data) as { model?: string });
  expect(new Set(chunks.map(({ model }) => model))).toEqual(new Set([MODEL]));
}
