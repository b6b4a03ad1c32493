import { BACKING_KINDS, givenServerAnswers } from '@sluice/backing';
import { ANSWER_TIMEOUT_MS, answersOk } from './http-answer.ts';
import type { RunningProcess } from './running-stack.ts';

/** Whether a process says that it is ready. Redis and NATS have no address for that: a word from them is enough. */
export async function answersHealth({
  name,
  url,
  health_url,
}: Pick<RunningProcess, 'name' | 'url' | 'health_url'>): Promise<boolean> {
  if (health_url !== null) return answersOk(health_url);
  const kind = BACKING_KINDS.find((known) => known === name);
  return kind !== undefined && givenServerAnswers(kind, url, { patienceMs: ANSWER_TIMEOUT_MS });
}
