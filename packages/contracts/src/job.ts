import * as z from 'zod';

/** The version of what gateways and workers say to each other. Unknown frame kinds and fields are ignored. */
export const CONTRACT_VERSION = 2;

/** What the gateway decided about a request; the client's own body travels beside it as bytes. */
export const JobHeader = z.object({
  contract: z.int(),
  gateway: z.string().min(1),
  request: z.string().min(1),
  attempt: z.int().min(1),
  organization: z.string().min(1),
  project: z.string(),
  /** The model as clients name it. */
  model: z.string().min(1),
  /** The model as the runtime names it. */
  runtime_model: z.string().min(1),
  stream: z.boolean(),
  /** Upper bound of generated tokens, when the request or the model sets one. */
  max_output_tokens: z.int().min(1).optional(),
  /** True when the client asked for that bound, so that exceeding the context is its fault. */
  output_bound_requested: z.boolean(),
  context_length: z.int().min(1).optional(),
  /**
   * As it was charged: what is told of the prompt where a runtime tells nothing, and what its turn is charged until the
   * runtime has counted.
   */
  estimated_input_tokens: z.int().min(1),
  reasoning_effort: z.string().optional(),
  /** Replies of such a model carry `reasoning_content`, but for streamed calls: their ids tell that there was none. */
  reasoning_history: z.enum(['required', 'optional']),
  /** How long the job may wait for a slot, and how long it may take in all, both from its arrival. Clocks differ. */
  queue_ms: z.int().min(0),
  run_ms: z.int().min(1),
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
