import { describe, expect, test } from 'vitest';
import { unrolledDepth } from './unrolled-depth.ts';

type Definitions = Readonly<Record<string, object>>;

/** The depth of a schema with these definitions, which begins at the first of them. */
function depthOf(definitions: Definitions): number {
  const targets = new Map(Object.entries(definitions).map(([name, at]) => [`#/$defs/${name}`, at]));
  const [first = ''] = Object.keys(definitions);
  return unrolledDepth({ $ref: `#/$defs/${first}` }, targets);
}

const to = (name: string | number) => ({ $ref: `#/$defs/${name}` });
const chain = (length: number) =>
  Array.from({ length }, (_, at) => (at === length - 1 ? {} : { items: to(at + 1) }));
const named = (places: readonly object[]): Definitions => Object.fromEntries(places.entries());

describe('the unrolled depth', () => {
  test('of a schema without references is its own', () => {
    expect(unrolledDepth({}, new Map())).toBe(1);
    expect(unrolledDepth({ anyOf: [{ items: {} }], title: 't' }, new Map())).toBe(4);
  });

  test('continues in the target of a reference, from the level of the reference', () => {
    expect(depthOf({ a: {} })).toBe(2);
    expect(depthOf({ a: { items: to('b') }, b: { items: { items: {} } } })).toBe(6);
    expect(depthOf({ a: { not: to('b'), items: { items: to('b') } }, b: { items: {} } })).toBe(6);
  });

  test('is the same if one target is inside another', () => {
    const inner = { items: {} };
    const root = { items: { items: inner }, not: { $ref: '#/items' } };
    const targets = new Map<string, object>([
      ['#/items', root.items],
      ['#/items/items', inner],
    ]);
    expect(unrolledDepth(root, targets)).toBe(5);
  });

  test('is that of the deepest subschema with the same `$id`', () => {
    const places = [{ items: {} }, { items: { items: {} } }, {}];
    const targets = new Map([['name', places]]);
    expect(unrolledDepth({ not: { $ref: 'name' } }, targets)).toBe(5);
    expect(unrolledDepth({ not: { $ref: 'name' }, anyOf: [...places] }, targets)).toBe(5);
  });

  test('is found by reading shared content once', () => {
    let reads = 0;
    const innermost = {
      get items() {
        reads += 1;
        return {};
      },
    };
    const around: object[] = [innermost];
    for (let level = 0; level < 20; level += 1) around.push({ not: around.at(-1) });
    const targets = new Map(around.map((place, at) => [`d${at}`, [place, {}]]));
    const anyOf = [...targets.keys()].map(($ref) => ({ $ref }));
    expect(unrolledDepth({ anyOf, not: around.at(-1) }, targets)).toBe(3 + 22);
    expect(reads).toBe(1);
  });

  test('is that of the deepest path, not the sum of all paths', () => {
    const b = { items: {} };
    expect(depthOf({ a: { anyOf: [to('b'), to('b'), to('c')] }, b, c: {} })).toBe(6);
    const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`d${at}`, b]));
    const anyOf = Object.keys(wide).map(to);
    expect(depthOf({ a: { anyOf }, ...wide })).toBe(6);
  });

  test('of a long chain is found without recursion, from either end', () => {
    expect(depthOf(named(chain(5_000)))).toBe(10_000);
    const names = Array.from({ length: 5_000 }, (_, at) => `d${5_000 - at}`);
    const backwards = names.map((name, at): [string, object] => [
      name,
      at === 0 ? {} : { items: to(names[at - 1] ?? '') },
    ]);
    expect(depthOf({ a: to('d1'), ...Object.fromEntries(backwards) })).toBe(10_001);
  });

  test('counts every part of a cycle once', () => {
    expect(depthOf({ a: { items: to('a') } })).toBe(3);
    // A cycle that can be entered at any of its parts.
    const ring = Array.from({ length: 100 }, (_, at) => ({
      items: to((at + 1) % 100),
      not: to(0),
    }));
    const entries = { anyOf: [...ring.keys()].toReversed().map(to) };
    expect(depthOf({ a: entries, ...named(ring) })).toBeGreaterThanOrEqual(200);
    expect(depthOf({ a: entries, ...named(ring) })).toBeLessThan(210);
  });

  test('does not add up parts that only lead to a cycle', () => {
    const user = { properties: { v: { anyOf: [{ items: to('cycle') }] } } };
    const users = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`d${at}`, user]));
    const cycle = { anyOf: [{ items: to('cycle') }] };
    const anyOf = Object.keys(users).map(to);
    // The first part, one of the parallel parts, and the cycle once.
    expect(depthOf({ a: { anyOf }, ...users, cycle })).toBe(1 + 3 + 6 + 4);
    const above = chain(50).slice(0, -1);
    expect(depthOf({ ...named(above), 49: cycle })).toBe(1 + 2 * 49 + 4);
  });

  test('includes parts that a cycle leads to', () => {
    const places = [{ items: to(0), not: to(1) }, ...chain(50).slice(1)];
    expect(depthOf(named(places))).toBeGreaterThanOrEqual(100);
  });
});
