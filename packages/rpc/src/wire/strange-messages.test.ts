import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UNKNOWN, admissions, batch, received } from '../../tests/support/any-quota-message.ts';
import { decodeAdmissions, encodeAdmissions } from './admission-messages.ts';
import { decodeDecisionBatch, encodeDecisionBatch } from './decision-messages.ts';
import { MalformedMessageError, tagOf } from './wire-reader.ts';

/** Embeds a message in another one as the field with this number. */
function nested(field: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const length = Buffer.from([(body.length & 0x7f) | 0x80, body.length >> 7]);
  return Buffer.concat([Buffer.from([tagOf(field, 'lengthDelimited')]), length, body]);
}

describe('a message of another version', () => {
  it('is read without the fields that are not known', () => {
    fc.assert(
      fc.property(admissions, batch, (asked, answered) => {
        const question = Buffer.concat([UNKNOWN, encodeAdmissions(asked), UNKNOWN]);
        const answer = Buffer.concat([UNKNOWN, encodeDecisionBatch(answered), UNKNOWN]);
        expect(decodeAdmissions(question)).toEqual(asked.map(received));
        expect(decodeDecisionBatch(answer)).toEqual(answered);
      }),
    );
  });

  it('is read without them in an admission and all that is in it', () => {
    const organization = Buffer.from([tagOf(2, 'lengthDelimited'), 1, 0x61]);
    const limits = nested(3, UNKNOWN);
    const revision = nested(4, UNKNOWN);
    const bytes = nested(1, UNKNOWN, organization, limits, UNKNOWN, revision, UNKNOWN);
    const unlimited = {
      requests_per_minute: null,
      requests_per_day: null,
      tokens_per_minute: null,
      tokens_per_day: null,
    };
    expect(decodeAdmissions(bytes)).toMatchObject([
      { request: { organization: 'a', limits: unlimited, revision: { epoch: 0, sequence: 0 } } },
    ]);
  });

  it('is read without them in a decision and all that is in it', () => {
    const admitted = Buffer.from([tagOf(2, 'varint'), 1]);
    const bytes = nested(1, UNKNOWN, admitted, nested(6, UNKNOWN), UNKNOWN);
    const full = { limit: 0, remaining: 0, resetMs: 0 };
    expect(decodeDecisionBatch(bytes).decisions).toMatchObject([
      { decision: { outcome: 'admitted', windows: { requests_per_minute: full } } },
    ]);
  });
});

describe('a decision of another version', () => {
  const refusedByMinute = Buffer.from([tagOf(3, 'varint'), 1]);

  it.each([
    { name: 'no outcome', outcome: [] },
    { name: 'an outcome that is not known', outcome: [tagOf(2, 'varint'), 3] },
  ])('with $name is unavailable, even if it names a limit', ({ outcome }) => {
    const bytes = nested(1, Buffer.from(outcome), refusedByMinute);
    expect(decodeDecisionBatch(bytes).decisions).toMatchObject([
      { decision: { outcome: 'unavailable' } },
    ]);
  });

  it('by a limit that is not known is unavailable', () => {
    const bytes = nested(1, Buffer.from([tagOf(2, 'varint'), 2, tagOf(3, 'varint'), 9]));
    expect(decodeDecisionBatch(bytes).decisions).toMatchObject([
      { decision: { outcome: 'unavailable' } },
    ]);
  });
});

describe('bytes that are not a message', () => {
  function thrownBy(decode: (bytes: Buffer) => unknown, bytes: Buffer): unknown {
    try {
      decode(bytes);
    } catch (error) {
      return error;
    }
    return undefined;
  }

  it('are an error of their own kind, or a message with other values, wherever a byte is wrong', () => {
    const fault = fc.record({ at: fc.nat(), value: fc.nat(255), cut: fc.boolean() });
    fc.assert(
      fc.property(admissions, batch, fc.array(fault), (asked, answered, faults) => {
        for (const [bytes, decode] of [
          [encodeAdmissions(asked), decodeAdmissions],
          [encodeDecisionBatch(answered), decodeDecisionBatch],
        ] as const) {
          for (const { at, value, cut } of faults) {
            const place = at % (bytes.length + 1);
            const spoilt = cut ? bytes.subarray(0, place) : Buffer.from(bytes);
            if (!cut && place < spoilt.length) spoilt[place] = value;
            const error = thrownBy(decode, spoilt);
            if (error !== undefined) expect(error).toBeInstanceOf(MalformedMessageError);
          }
        }
      }),
    );
  });

  it('are an error when an entry is cut off', () => {
    fc.assert(
      fc.property(admissions, batch, fc.nat(), (asked, { decisions }, cut) => {
        fc.pre(asked.length > 0 && decisions.length > 0);
        const question = encodeAdmissions(asked.slice(0, 1));
        const answer = encodeDecisionBatch({ decisions: decisions.slice(0, 1), draining: false });
        const begun = (bytes: Buffer) => bytes.subarray(0, 1 + (cut % (bytes.length - 1)));
        expect(() => decodeAdmissions(begun(question))).toThrow(MalformedMessageError);
        expect(() => decodeDecisionBatch(begun(answer))).toThrow(MalformedMessageError);
      }),
    );
  });

  it('are an error when a field reaches beyond the entry it is in', () => {
    // decisions[0] of two bytes, whose id claims to continue in a third byte.
    const bytes = Buffer.from([0x0a, 0x02, 0x08, 0x80, 0x01]);
    expect(() => decodeDecisionBatch(bytes)).toThrow(MalformedMessageError);
  });
});

describe('a message that could not be written', () => {
  it('leaves nothing in the next one', () => {
    fc.assert(
      fc.property(admissions, batch, (asked, answered) => {
        fc.pre(asked.length > 0 && answered.decisions.length > 0);
        const question = encodeAdmissions(asked);
        const answer = encodeDecisionBatch(answered);
        // Writing the first one succeeds, writing the second one fails.
        const brokenQuestion = asked.slice(0, 1).flatMap((one) => [one, breaking(one)]);
        const decisions = answered.decisions.slice(0, 1).flatMap((one) => [one, breaking(one)]);
        expect(() => encodeAdmissions(brokenQuestion)).toThrow('broken');
        expect(() => encodeDecisionBatch({ decisions, draining: false })).toThrow('broken');
        expect(encodeAdmissions(asked)).toEqual(question);
        expect(encodeDecisionBatch(answered)).toEqual(answer);
      }),
    );
  });
});

/** A copy of the message whose id throws when it is read. */
function breaking<Message extends { readonly id: number }>(message: Message): Message {
  return Object.defineProperty({ ...message }, 'id', {
    get: () => {
      throw new Error('broken');
    },
  });
}

describe('a tag', () => {
  it('of more than one byte is refused', () => {
    expect(tagOf(15, 'varint')).toBe(0x78);
    expect(() => tagOf(16, 'varint')).toThrow(RangeError);
  });
});
