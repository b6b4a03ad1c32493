import { beforeEach, describe, expect, it } from 'vitest';
import { KnownSchemas } from './known-schemas.ts';

let nowMs: number;
let known: KnownSchemas;
beforeEach(() => {
  nowMs = 5_000;
  known = new KnownSchemas(() => nowMs);
});

describe('a known schema', () => {
  it.each(['ready', 'unreadable'] as const)('stays %s for every organization', (outcome) => {
    known.notePreparation('digest', outcome);
    nowMs += 3_600_000;
    expect(known.find('acme', 'digest')).toBe(outcome);
    expect(known.find('globex', 'digest')).toBe(outcome);
  });

  it('is tried again a minute after it was too costly to prepare', () => {
    known.notePreparation('digest', 'too_costly');
    nowMs += 59_999;
    expect(known.find('globex', 'digest')).toBe('too_costly');
    nowMs += 1;
    expect(known.find('globex', 'digest')).toBeUndefined();
  });

  it('is refused for a minute to an organization whose check was too costly, and to no other', () => {
    known.notePreparation('digest', 'ready');
    known.noteCostlyCheck('acme', 'digest');
    expect(known.find('acme', 'digest')).toBe('too_costly');
    expect(known.find('globex', 'digest')).toBe('ready');
    nowMs += 60_000;
    expect(known.find('acme', 'digest')).toBe('ready');
  });

  it('does not affect other schemas of the organization, even if many were too costly', () => {
    for (let number = 0; number < 100; number += 1) known.noteCostlyCheck('acme', `${number}`);
    expect(known.find('acme', 'other')).toBeUndefined();
  });

  it('is forgotten after 4,096 other schemas were used', () => {
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
