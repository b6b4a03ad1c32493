import { describe, expect, it } from 'vitest';
import {
  SubjectPrefix,
  attemptName,
  attemptOfSubject,
  subjectsUnder,
  workerName,
} from './subjects.ts';

const subjects = subjectsUnder('a.b');

describe('subjects', () => {
  it('all begin with the prefix', () => {
    expect([
      subjects.job(workerName('p', 'w')),
      subjects.delta('g', 'r-1'),
      subjects.deltas('g'),
      subjects.control(workerName('p', 'w')),
      subjects.fleet('p'),
      subjects.fleets(),
      subjects.lease('g'),
      subjects.leases(),
      subjects.inbox('gateway'),
      subjects.catalogChanged(),
      subjects.outcomes.subject({ kind: 'request', organization: 'o' }),
      subjects.outcomes.subjects('o'),
      subjects.outcomes.subjects(),
      subjects.refusals.subject({ organization: 'o' }),
      subjects.refusals.subjects('o'),
      subjects.refusals.subjects(),
    ]).toEqual([
      'a.b.job.p.w',
      'a.b.delta.g.r-1',
      'a.b.delta.g.*',
      'a.b.control.p.w',
      'a.b.fleet.p',
      'a.b.fleet.*',
      'a.b.lease.g',
      'a.b.lease.*',
      'a.b.inbox.gateway',
      'a.b.catalog.changed',
      'a.b.ledger.request.o',
      'a.b.ledger.*.o',
      'a.b.ledger.>',
      'a.b.refusals.o',
      'a.b.refusals.o',
      'a.b.refusals.*',
    ]);
  });

  it('of an organization with dots in its name match no other organization', () => {
    const record = { kind: 'attempt', organization: 'acme.co.uk' } as const;
    const { outcomes, refusals } = subjects;
    expect(outcomes.subject(record)).toBe('a.b.ledger.attempt.acme=2Eco=2Euk');
    expect(outcomes.subjects('acme.co.uk')).toBe('a.b.ledger.*.acme=2Eco=2Euk');
    expect(refusals.subject(record)).toBe('a.b.refusals.acme=2Eco=2Euk');
    expect(refusals.subjects('acme.co.uk')).toBe('a.b.refusals.acme=2Eco=2Euk');
  });

  it('name the streams of the ledger, which cannot hold dots', () => {
    const streams = subjects.ledger.map(({ stream }) => stream);
    expect(streams).toEqual(['a=2Eb-ledger', 'a=2Eb-refusals']);
    expect(subjectsUnder('a_b').outcomes.stream).toBe('a_b-ledger');
  });

  it('of an attempt contain its name', () => {
    const name = attemptName('0b6c4f3e-8a55-4f0e-9d0c-3a1f3a4f6f11', 2);
    expect(name).toBe('0b6c4f3e-8a55-4f0e-9d0c-3a1f3a4f6f11-2');
    expect(attemptOfSubject(subjects.delta('g', name))).toBe(name);
  });
});

describe('a prefix', () => {
  it.each(['sluice', 'a.b-c.D_1', 'ledger', 'a.ledgers', 'a.my-refusals.b'])(
    'may be %s',
    (prefix) => {
      expect(SubjectPrefix.parse(prefix)).toBe(prefix);
    },
  );

  it.each(['', '.a', 'a.', 'a..b', 'a b', 'a.*', 'a.>', '$KV.a'])('may not be "%s"', (prefix) => {
    expect(SubjectPrefix.safeParse(prefix).success).toBe(false);
  });

  it.each(['a.ledger', 'a.ledger.b', 'a.b.refusals'])(
    'may not be "%s", where another deployment may keep its ledger',
    (prefix) => {
      const { error } = SubjectPrefix.safeParse(prefix);
      expect(error?.issues[0]?.message).toContain('another deployment');
    },
  );
});
