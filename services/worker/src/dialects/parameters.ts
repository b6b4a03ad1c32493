import type { JobHeader } from '@sluice/contracts';
import type { JsonObject } from '../json/json.ts';

/** What runtimes make of a name of their own parameter: some templates think only when they are told to. */
const THINKING = { enable_thinking: true, thinking: true };

/** The runtime's own parameter refuses names that it does not know: those are handed to the chat template instead. */
export function effortParameter(
  { reasoning_effort: effort }: JobHeader,
  known: ReadonlySet<string>,
): JsonObject {
  if (effort === undefined) return {};
  return known.has(effort)
    ? { reasoning_effort: effort }
    : { chat_template_kwargs: { reasoning_effort: effort, ...THINKING } };
}
