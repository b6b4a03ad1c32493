import { beforeEach, describe, expect, it } from 'vitest';
import { KnownSchemas } from './known-schemas.ts';

let nowMs: number;
let known: KnownSchemas;
beforeEach(() => {
  nowMs = 5_000;
  known = new KnownSchemas(() => nowMs);
});

describe('a schema that is known', () => {
  it.each(['ready', 'unreadable'] as const)('as %s stays so for every organization', (outcome) => {
    known.notePreparation('digest', outcome);
    nowMs += 3_600_000;
    expect(known.find('acme', 'digest')).toBe(outcome);
    expect(known.find('globex', 'digest')).toBe(outcome);
  });

  it('as too costly to prepare is tried again after a minute', () => {
    known.notePreparation('digest', 'too_costly');
    nowMs += 59_999;
    expect(known.find('globex', 'digest')).toBe('too_costly');
    nowMs += 1;
    expect(known.find('globex', 'digest')).toBeUndefined();
  });

  it('as too costly to check is refused to that organization for a minute, and to no other', () => {
    known.notePreparation('digest', 'ready');
    known.noteCostlyCheck('acme', 'digest');
    expect(known.find('acme', 'digest')).toBe('too_costly');
    expect(known.find('globex', 'digest')).toBe('ready');
    nowMs += 60_000;
    expect(known.find('acme', 'digest')).toBe('ready');
  });

  it('says nothing of other schemas, however many of the organization were too costly', () => {
    for (let number = 0; number < 100; number += 1) known.noteCostlyCheck('acme', `${number}`);
    expect(known.find('acme', 'other')).toBeUndefined();
  });

  it('is forgotten when 4,096 others were used since', () => {
    known.notePreparation('oldest', 'ready');
    known.notePreparation('used', 'ready');
    for (let number = 0; number < 4_095; number += 1) {
      known.find('acme', 'used');
      known.notePreparation(`${number}`, 'ready');
    }
    expect(known.find('acme', 'oldest')).toBeUndefined();
    expect(known.find('acme', 'used')).toBe('ready');
  });
});
