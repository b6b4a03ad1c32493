import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countValues,
  exceedsNesting,
  exceedsValues,
  memberNames,
  namesOfExcess,
} from './nesting.ts';

const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

/** Computes the depth from the parsed value, while the code under test reads the text. */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

/** Whether the text nests too deep as the value of a member. */
const exceedsInside = (text: string, depth: number) =>
  namesOfExcess(Buffer.from(`{"a":${text}`), depth + 1).has('a');

describe('the nesting of JSON text', () => {
  it.each([
    ['1', 0, false],
    ['{}', 0, true],
    ['{}', 1, false],
    [deep(64), 64, false],
    [deep(65), 64, true],
    ['{"a":'.repeat(65), 64, true],
    [`[${'[],'.repeat(1000)}[]]`, 2, false],
    ['"[[[["', 0, false],
    [String.raw`["\"[[[[", "\\", []]`, 2, false],
    [String.raw`["\\"[[`, 2, true],
    [String.raw`["\\\"[["]`, 1, false],
    [`["${'x'.repeat(100)}${String.raw`\"`}[[[[${'y'.repeat(100)}"]`, 1, false],
    [`["${'x'.repeat(100)}${String.raw`\\`}"[`, 1, true],
    [`["${'x'.repeat(100)}${String.raw`\\`.repeat(50)}"[`, 1, true],
    [`["${'x'.repeat(30)}${String.raw`\\`.repeat(50)}"[`, 1, true],
    ['"[[[[', 1, false],
  ])('%s within %i: %s', (text, depth, exceeds) => {
    expect(exceedsInside(text, depth)).toBe(exceeds);
    expect(exceedsNesting(Buffer.from(text), depth)).toBe(exceeds);
  });

  it('is found as deep as the parsed value is', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.nat(8), (text, depth) => {
        const value: unknown = JSON.parse(text);
        expect(exceedsInside(text, depth)).toBe(depthOf(value) > depth);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['short strings', `[${String.raw`"\"",`.repeat(700_000)}1]`],
    ['backslashes', `["${String.raw`\\`.repeat(2_000_000)}"]`],
    ['escaped quotes', `["${String.raw`\"`.repeat(2_000_000)}"]`],
    ['one open string', `"${'x'.repeat(4_000_000)}`],
    ['brackets', '[]'.repeat(2_000_000)],
    ['quotes', '"'.repeat(4_000_000)],
  ])('reads four million bytes of %s', (_title, text) => {
    expect(exceedsInside(text, 64)).toBe(false);
  });

  it('is noticed at the first bracket too deep, however many follow', () => {
    expect(exceedsInside('['.repeat(4_000_000), 64)).toBe(true);
  });
});

describe('the names under which text nests too deeply', () => {
  it.each([
    [`{"model":"m","tools":${deep(9)}}`, ['tools']],
    [String.raw`{"a\u0062\"c": {"inner": ${deep(4)}}}`, ['ab"c']],
    [`{"a":["x"],"b":[[[[[[[[[`, ['b']],
    [`{"a":"x","b":${deep(9)},"c":${deep(4)},"d":${deep(5)}}`, ['b', 'd']],
    [`{"a":${deep(5)},"b":1,"a":[]}`, ['a']],
    ['{"a":[]}', []],
    ['{}', []],
  ])('in %s are %j', (text, names) => {
    expect([...namesOfExcess(Buffer.from(text), 5)]).toEqual(names);
    const within = new Uint8Array(Buffer.from(`[[${text}`)).subarray(2);
    expect([...namesOfExcess(within, 5)]).toEqual(names);
  });
});

/** A string as `name`, and as JSON `text` with some characters escaped. */
const spelled = fc
  .tuple(fc.string({ unit: 'binary' }), fc.infiniteStream(fc.boolean()))
  .map(([name, escapes]) => {
    const units = name.split('').map((unit) => {
      const code = unit.charCodeAt(0).toString(16).padStart(4, '0');
      return escapes.next().value === true ? `\\u${code}` : JSON.stringify(unit).slice(1, -1);
    });
    return { name, text: `"${units.join('')}"` };
  });

describe('the names of the members of an object', () => {
  it('are in the order of the text, duplicates included', () => {
    const space = fc.constantFrom('', ' ', '\n\t');
    const member = fc.record({ key: spelled, value: fc.json({ maxDepth: 3 }), space });
    fc.assert(
      fc.property(fc.array(member, { maxLength: 6 }), space, (members, between) => {
        const texts = members.map(
          ({ key, value, space: gap }) => `${gap}${key.text}${gap}:${gap}${value}${gap}`,
        );
        const text = `${between}{${texts.join(',')}${between}}${between}`;
        expect(Object.keys(JSON.parse(text) as object).length).toBeLessThanOrEqual(texts.length);
        expect([...memberNames(Buffer.from(text))]).toEqual(members.map(({ key }) => key.name));
      }),
      { numRuns: 500 },
    );
  });
});

/** Counts from the parsed value. An array or object counts as itself and as at least one value inside. */
function valuesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  const inner = Object.values(value).map(valuesOf);
  return 1 + inner.reduce((sum, count) => sum + count, inner.length === 0 ? 1 : 0);
}

describe('the values in JSON text', () => {
  it('are counted as they are in the parsed value, whatever the strings hold', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 4 })), (value) => {
        const bytes = Buffer.from(JSON.stringify(value));
        const count = valuesOf(value);
        expect([exceedsValues(bytes, count), exceedsValues(bytes, count - 1)]).toEqual([
          false,
          true,
        ]);
        expect(countValues(bytes)).toBe(count);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['one string, however long', `["${String.raw`[,{\"`.repeat(100_000)}"]`, false],
    ['a text that is no JSON', `${'"'.repeat(9_999)},,,`, false],
    ['many numbers', `[${'1,'.repeat(2_000)}1]`, true],
    ['many arrays', '[]'.repeat(1_001), true],
  ])('%s', (_title, text, exceeds) => {
    expect(exceedsValues(Buffer.from(text), 1_000)).toBe(exceeds);
  });
});
