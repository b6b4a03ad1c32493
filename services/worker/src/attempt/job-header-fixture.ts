import { CONTRACT_VERSION, type JobHeader } from '@sluice/contracts';

/** The header of a streamed job, for tests. */
export function jobHeaderOf(change: Partial<JobHeader> = {}): JobHeader {
  return {
    contract: CONTRACT_VERSION,
    gateway: 'g',
    request: 'r',
    attempt: 1,
    organization: 'a',
    project: 'p',
    model: 'm',
    runtime_model: 'm',
    stream: true,
    output_bound_requested: false,
    estimated_input_tokens: 10,
    reasoning_history: 'optional',
    queue_ms: 30_000,
    run_ms: 60_000,
    ...change,
  };
}
