import { ServiceError } from '@sluice/contracts';

/** Large bodies take more memory at the moment than they may. */
export function crowdedError(): ServiceError {
  return new ServiceError(
    'service_unavailable',
    'Too many large requests are being read at the moment. Please retry.',
    { retryable: true },
  );
}
