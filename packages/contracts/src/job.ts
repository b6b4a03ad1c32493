import * as z from 'zod';
import { MAX_ENCODED_BLOCKS } from './prefix-blocks.ts';

/** The version of the protocol between gateways and workers. Unknown frame kinds and fields are ignored. */
export const CONTRACT_VERSION = 2;

/** What the gateway decided about a request. The client's body follows it in the job as bytes. */
export const JobHeader = z.object({
  contract: z.int(),
  gateway: z.string().min(1),
  request: z.string().min(1),
  attempt: z.int().min(1),
  organization: z.string().min(1),
  project: z.string(),
  /** The model's name for clients. */
  model: z.string().min(1),
  /** The runtime's own name of the model. */
  runtime_model: z.string().min(1),
  stream: z.boolean(),
  /** Upper bound of generated tokens, if the request or the model sets one. */
  max_output_tokens: z.int().min(1).optional(),
  /** True if the client set `max_output_tokens`. Then a request that exceeds the context is the client's error. */
  output_bound_requested: z.boolean(),
  context_length: z.int().min(1).optional(),
  /**
   * The estimate that admission charged. The scheduler charges it too, until the runtime has counted the prompt. If the
   * runtime reports no count, the usage of the reply has the estimate.
   */
  estimated_input_tokens: z.int().min(1),
  reasoning_effort: z.string().optional(),
  /**
   * `required`: a reply always has `reasoning_content`, because clients must send it back. The exception is a streamed
   * reply with tool calls: the ids of its calls show that it had no reasoning.
   */
  reasoning_history: z.enum(['required', 'optional']),
  /**
   * How long the job may wait for a slot. Like `run_ms`, it is a duration that begins when the job arrives at the
   * worker, because the clocks of two machines differ.
   */
  queue_ms: z.int().min(0),
  /** How long the job may take in total. */
  run_ms: z.int().min(1),
  /** How the scheduler treats the organization. A field with its default value is absent. */
  weight: z.number().positive().optional(),
  scheduling_class: z.int().optional(),
  slots_per_worker: z.int().min(1).optional(),
  /** The hashes of the prompt's blocks, which the worker repeats in its heartbeats. Absent for a short prompt. */
  prefix_blocks: z.string().max(MAX_ENCODED_BLOCKS).optional(),
});

export type JobHeader = z.infer<typeof JobHeader>;

export class MalformedJobError extends Error {
  override readonly name = 'MalformedJobError';
}

const LENGTH_BYTES = 4;

export function encodeJob(header: JobHeader, body: Uint8Array): Uint8Array {
  const head = Buffer.from(JSON.stringify(header));
  const message = Buffer.allocUnsafe(LENGTH_BYTES + head.length + body.length);
  message.writeUInt32BE(head.length, 0);
  message.set(head, LENGTH_BYTES);
  message.set(body, LENGTH_BYTES + head.length);
  return message;
}

export function decodeJob(message: Uint8Array): { header: JobHeader; body: Uint8Array } {
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
  if (bytes.length < LENGTH_BYTES) throw new MalformedJobError('the job has no header');
  const end = LENGTH_BYTES + bytes.readUInt32BE(0);
  if (end > bytes.length) throw new MalformedJobError('the job header is cut short');
  let parsed: unknown;
  try {
    parsed = JSON.parse(bytes.toString('utf8', LENGTH_BYTES, end));
  } catch (cause) {
    throw new MalformedJobError('the job header is not JSON', { cause });
  }
  const header = JobHeader.safeParse(parsed);
  if (!header.success) throw new MalformedJobError(z.prettifyError(header.error));
  return { header: header.data, body: bytes.subarray(end) };
}
