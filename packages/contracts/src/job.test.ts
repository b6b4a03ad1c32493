import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CONTRACT_VERSION,
  MalformedJobError,
  decodeJob,
  encodeJob,
  type JobHeader,
} from './job.ts';

const header: JobHeader = {
  contract: CONTRACT_VERSION,
  gateway: 'g',
  request: 'r',
  attempt: 1,
  organization: 'o',
  project: 'p',
  model: 'vendor/model-ü',
  runtime_model: 'model',
  stream: true,
  output_bound_requested: false,
  estimated_input_tokens: 10,
  reasoning_history: 'optional',
  queue_ms: 0,
  run_ms: 1,
};

/** A job whose declared header length is larger than the message. */
function overlong(): Buffer {
  const message = Buffer.from(encodeJob(header, Buffer.alloc(0)));
  message.writeUInt32BE(message.readUInt32BE(0) + 1, 0);
  return message;
}

describe('a job', () => {
  it("carries the client's bytes untouched beside its header", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000, size: 'max' }), (body) => {
        const job = decodeJob(encodeJob(header, body));
        expect(job.header).toEqual(header);
        expect([...job.body]).toEqual([...body]);
      }),
    );
  });

  it('is read wherever it lies in a larger buffer', () => {
    const message = Buffer.concat([Buffer.from('before'), encodeJob(header, Buffer.from('body'))]);
    expect(Buffer.from(decodeJob(message.subarray(6)).body).toString()).toBe('body');
  });

  it('of a newer gateway may have fields that are not known here', () => {
    const newer = { ...header, priority: 'high' };
    expect(decodeJob(encodeJob(newer, Buffer.alloc(0))).header).toEqual(header);
  });

  it.each([
    ['is empty', Buffer.alloc(0)],
    ['is too short to say how long its header is', Buffer.alloc(3)],
    ['is shorter than its header', overlong()],
    ['is of no organization', encodeJob({ ...header, organization: '' }, Buffer.alloc(0))],
    ['is no attempt at anything', encodeJob({ ...header, attempt: 0 }, Buffer.alloc(0))],
    ['is cut inside its header', encodeJob(header, Buffer.alloc(0)).subarray(0, 20)],
    ['has a header that is no JSON', Buffer.from([0, 0, 0, 1, 0x7b])],
    [
      'has a header that lacks something',
      Buffer.concat([Buffer.from([0, 0, 0, 2]), Buffer.from('{}')]),
    ],
  ])('that %s is malformed', (_, message) => {
    expect(() => decodeJob(message)).toThrow(MalformedJobError);
  });
});
