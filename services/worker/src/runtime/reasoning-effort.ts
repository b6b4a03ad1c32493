import type { JobHeader } from '@sluice/contracts';
import type { JsonObject } from './json.ts';

/** The effort as the runtime's own parameter where that knows the name, which refuses others; they reach the template. */
export function effortParameter(
  { reasoning_effort: effort }: JobHeader,
  known: ReadonlySet<string>,
): JsonObject {
  if (effort === undefined) return {};
  return known.has(effort)
    ? { reasoning_effort: effort }
    : { chat_template_kwargs: { reasoning_effort: effort } };
}
