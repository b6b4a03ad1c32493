import { ServiceError } from '@sluice/contracts';

const RETRY_AFTER_MS = 1_000;

/** Large bodies take more memory at the moment than they may. */
export function crowdedError(): ServiceError {
  return new ServiceError(
    'service_unavailable',
    'Too many large requests are being read at the moment. Please retry.',
    { retryable: true, retryAfterMs: RETRY_AFTER_MS },
  );
}
