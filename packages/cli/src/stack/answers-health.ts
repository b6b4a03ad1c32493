import { BACKING_KINDS, externalServerAnswers } from '@sluice/servers';
import { ANSWER_TIMEOUT_MS, answersOk } from './http-answer.ts';
import type { RunningProcess } from './running-stack.ts';

/** Whether a process reports that it is ready. For Redis and NATS, which have no health address, any answer counts. */
export async function answersHealth({
  name,
  url,
  health_url,
}: Pick<RunningProcess, 'name' | 'url' | 'health_url'>): Promise<boolean> {
  if (health_url !== null) return answersOk(health_url);
  const kind = BACKING_KINDS.find((known) => known === name);
  return kind !== undefined && externalServerAnswers(kind, url, { timeoutMs: ANSWER_TIMEOUT_MS });
}
