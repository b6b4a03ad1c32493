import { CatalogModel } from '@sluice/contracts';
import { describe, expect, test } from 'vitest';
import { orderTargets } from '../fleet/order-targets.ts';
import { examineRequest } from '../request/examine-request.ts';

/** A model with one target for each weight, named a, b, c. */
function modelOf(...weights: number[]): CatalogModel {
  return CatalogModel.parse({
    id: 'acme/chat',
    owned_by: 'acme',
    targets: weights.map((weight, index) => {
      const name = 'abcdefgh'.charAt(index);
      return { pool: name, runtime_model: `chat-${name}`, weight };
    }),
  });
}

const SYSTEM = { role: 'system', content: 'You are a helpful assistant of the Acme company.' };

/** What the gateway computes for the first turn and for a later turn of a conversation. */
function conversationOf(number: number, { model = modelOf(1), turn = 1 } = {}): number {
  const later = [
    { role: 'assistant', content: 'Hello.' },
    { role: 'user', content: 'And then?' },
  ];
  const messages = [
    SYSTEM,
    { role: 'user', content: `Question ${number}` },
    ...(turn === 1 ? [] : later),
  ];
  const body = Buffer.from(JSON.stringify({ model: model.id, messages }));
  const organization = `organization-${number % 7}`;
  const examination = examineRequest(body, { organization, models: { find: () => model } });
  if (!examination.ok) throw new Error(examination.fault.message);
  return examination.request.conversation;
}

const CONVERSATIONS = Array.from({ length: 10_000 }, (_, number) => conversationOf(number));

const firstTargets = (model: CatalogModel) =>
  CONVERSATIONS.map((conversation) => orderTargets(model, conversation)[0].name);

function sharesOf(names: readonly (string | undefined)[]): Record<string, number> {
  const shares: Record<string, number> = {};
  for (const name of names) shares[name ?? ''] = (shares[name ?? ''] ?? 0) + 1 / names.length;
  return shares;
}

/** The number of conversations that moved, for each pair of the old and the new target. */
function movesBetween(before: CatalogModel, after: CatalogModel): Map<string, number> {
  const moves = new Map<string, number>();
  const later = firstTargets(after);
  for (const [index, name] of firstTargets(before).entries()) {
    const move = `${name} to ${later[index]}`;
    if (name !== later[index]) moves.set(move, (moves.get(move) ?? 0) + 1);
  }
  return moves;
}

describe('a canary with 5% of the weight', () => {
  test('gets 5% of 10,000 conversations, within half a percent', () => {
    const { b = 0 } = sharesOf(firstTargets(modelOf(95, 5)));
    expect(b).toBeGreaterThan(0.045);
    expect(b).toBeLessThan(0.055);
  });

  test('keeps each conversation on one target for all its turns', () => {
    const model = modelOf(95, 5);
    for (let number = 0; number < 500; number += 1) {
      const later = conversationOf(number, { model, turn: 2 });
      expect(orderTargets(model, later)).toEqual(orderTargets(model, CONVERSATIONS[number] ?? -1));
    }
  });

  test('that is raised to 10% takes over 5% of the conversations, and no other one moves', () => {
    const moves = movesBetween(modelOf(95, 5), modelOf(90, 10));
    expect([...moves.keys()]).toEqual(['a to b']);
    expect(moves.get('a to b')).toBeGreaterThan(450);
    expect(moves.get('a to b')).toBeLessThan(550);
  });
});

describe('three targets', () => {
  test('share the conversations by their weights, also by fractions', () => {
    const { a = 0, b = 0, c = 0 } = sharesOf(firstTargets(modelOf(0.5, 0.3, 0.2)));
    expect(a).toBeCloseTo(0.5, 1);
    expect(b).toBeCloseTo(0.3, 1);
    expect(c).toBeCloseTo(0.2, 1);
  });

  test('give up conversations only to the one whose weight grows', () => {
    const moves = movesBetween(modelOf(60, 35, 0), modelOf(60, 35, 5));
    expect([...moves.keys()].toSorted()).toEqual(['a to c', 'b to c']);
  });

  test('take over the conversations of a drained one in the proportion of their weights', () => {
    const moves = movesBetween(modelOf(60, 20, 20), modelOf(60, 20, 0));
    expect([...moves.keys()].toSorted()).toEqual(['c to a', 'c to b']);
    const ratio = (moves.get('c to a') ?? 0) / (moves.get('c to b') ?? 1);
    expect(ratio).toBeGreaterThan(2.5);
    expect(ratio).toBeLessThan(3.5);
  });

  test('leave out a drained one, also as a substitute for another', () => {
    const model = modelOf(60, 20, 0);
    const used = CONVERSATIONS.flatMap((conversation) => orderTargets(model, conversation));
    expect(new Set(used.map(({ name }) => name))).toEqual(new Set(['a', 'b']));
  });
});

test('a model with one pool has one target, named after its pool', () => {
  const model = CatalogModel.parse({ id: 'm', owned_by: 'x', pool: 'gpu', runtime_model: 'r' });
  expect(orderTargets(model, 7)).toEqual([{ name: 'gpu', pool: 'gpu', runtime_model: 'r' }]);
});
