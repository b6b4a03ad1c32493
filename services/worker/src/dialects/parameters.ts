import { hash } from 'node:crypto';
import type { JobHeader } from '@sluice/contracts';
import type { JsonObject } from '../json/json.ts';

/**
 * Separates the prefix caches of organizations, so that timing does not reveal the prompts of another organization. The
 * salt need not be secret, because clients cannot choose one.
 */
export function cacheSalt(organization: string): string {
  return hash('sha256', `sluice prefix cache\n${organization}`, 'base64url');
}

/**
 * Arguments of chat templates that enable reasoning; which of them has an effect depends on the template. A runtime
 * adds them itself if it knows the effort.
 */
const THINKING = { enable_thinking: true, thinking: true };

/**
 * Passes an effort that the runtime does not know to the chat template, because the runtime would refuse it as
 * `reasoning_effort`.
 */
export function effortParameter(
  { reasoning_effort: effort }: JobHeader,
  known: ReadonlySet<string>,
): JsonObject {
  if (effort === undefined) return {};
  return known.has(effort)
    ? { reasoning_effort: effort }
    : { chat_template_kwargs: { reasoning_effort: effort, ...THINKING } };
}
