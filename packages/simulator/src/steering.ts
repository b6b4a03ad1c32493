import * as z from 'zod';
import { RefusedRequest } from './refusal.ts';

const mostTokens = 200_000;
const tenMinutesMs = 600_000;
const tokenCount = z.int().min(0).max(mostTokens);
const milliseconds = z.number().min(0).max(tenMinutesMs);

/** How the client steers the answer to one request, by a line `@sim {json}` in its last user message. */
const steeringSchema = z.strictObject({
  tokens: tokenCount.optional(),
  reasoning: tokenCount.optional(),
  ttft_ms: milliseconds.optional(),
  itl_ms: milliseconds.optional(),
  end_ms: milliseconds.optional(),
  tool: z.union([z.string(), z.array(z.string()).min(1).max(128)]).optional(),
  arguments: z.string().optional(),
  text: z.string().optional(),
  finish_reason: z.string().min(1).optional(),
  cached: tokenCount.optional(),
  usage: z.boolean().optional(),
  done: z.boolean().optional(),
  status: z.int().min(400).max(599).optional(),
  fail_after: tokenCount.optional(),
  fail_as: z.enum(['data', 'event']).optional(),
  stall_after: tokenCount.optional(),
  cut_after: tokenCount.optional(),
  malformed_after: tokenCount.optional(),
  breaks: z
    .enum(['response_format', 'tool_choice', 'parallel_tool_calls', 'arguments', 'reasoning_first'])
    .optional(),
  breaks_times: tokenCount.optional(),
  split: z.int().min(1).max(65_536).optional(),
  crlf: z.boolean().optional(),
  comments: z.boolean().optional(),
});

export type Steering = z.infer<typeof steeringSchema>;

/** Matches up to CR or LF. The pattern `.` would also stop at U+2028 and U+2029, which JSON may contain. */
const steeringLine = /(?:^|[\r\n])[ \t]*@sim(?=[\s{]|$)[ \t]*([^\r\n]*)/;
const knownNames = Object.keys(steeringSchema.shape).join(', ');
const example = '@sim {"tokens": 20, "itl_ms": 5}';

// The message does not quote the line, because it is part of a prompt.
function refuse(why: string): never {
  throw new RefusedRequest(
    400,
    `The @sim line in the last user message ${why}. Write one JSON object on one line, ` +
      `such as ${example}. Names: ${knownNames}.`,
    'messages',
  );
}

/** Reads the `@sim` line of a user message. Empty if there is none. */
export function readSteering(text: string): Steering {
  const line = steeringLine.exec(text)?.[1];
  if (line === undefined) return {};
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return refuse('is not valid JSON');
  }
  const result = steeringSchema.safeParse(parsed);
  if (result.success) return result.data;
  const wrong = result.error.issues.map(({ path }) => path.join('.')).filter((name) => name !== '');
  return refuse(
    wrong.length > 0
      ? `has a value that cannot be used for ${wrong.join(', ')}`
      : 'has a name that is not known or is not an object',
  );
}

export interface Fault {
  readonly kind: 'fail' | 'stall' | 'cut';
  /** Number of tokens before the fault. */
  readonly after: number;
}

/** The fault of a generation. If the client asks for several, the earliest one. */
export function steeredFault(steering: Steering): Fault | undefined {
  const faults: Fault[] = [];
  if (steering.fail_after !== undefined) faults.push({ kind: 'fail', after: steering.fail_after });
  if (steering.stall_after !== undefined) {
    faults.push({ kind: 'stall', after: steering.stall_after });
  }
  if (steering.cut_after !== undefined) faults.push({ kind: 'cut', after: steering.cut_after });
  return faults.toSorted((left, right) => left.after - right.after)[0];
}
