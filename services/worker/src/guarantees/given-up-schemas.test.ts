import { beforeEach, describe, expect, it } from 'vitest';
import { GivenUpSchemas } from './given-up-schemas.ts';

const schema = (number: number) => ({ const: number });

let nowMs: number;
let givenUp: GivenUpSchemas;
beforeEach(() => {
  nowMs = 5_000;
  givenUp = new GivenUpSchemas(() => nowMs);
});

describe('a schema that was given up', () => {
  it('is known for a minute, whoever sends it', () => {
    givenUp.add('acme', schema(1));
    expect(givenUp.has('acme', schema(1))).toBe(true);
    expect(givenUp.has('globex', schema(1))).toBe(true);
    nowMs += 59_999;
    expect(givenUp.has('acme', schema(1))).toBe(true);
    nowMs += 1;
    expect(givenUp.has('acme', schema(1))).toBe(false);
  });

  it('says nothing of others, until there are three of the same organization', () => {
    givenUp.add('acme', schema(1));
    givenUp.add('globex', schema(2));
    givenUp.add('acme', schema(3));
    expect(givenUp.has('acme', schema(9))).toBe(false);
    nowMs += 30_000;
    givenUp.add('acme', schema(4));
    expect(givenUp.has('acme', schema(9))).toBe(true);
    expect(givenUp.has('globex', schema(9))).toBe(false);
    nowMs += 30_000;
    expect(givenUp.has('acme', schema(9))).toBe(false);
    expect(givenUp.has('acme', schema(4))).toBe(true);
  });

  it('gives way to newer ones when there are many', () => {
    for (let number = 0; number <= 64; number += 1) givenUp.add(`org-${number}`, schema(number));
    expect(givenUp.has('org-0', schema(0))).toBe(false);
    expect(givenUp.has('org-1', schema(1))).toBe(true);
    expect(givenUp.has('org-64', schema(64))).toBe(true);
  });
});
