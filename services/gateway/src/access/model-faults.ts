import type { ErrorCode } from '@sluice/contracts';

/** An error in a request, as the client receives it. */
export interface ExaminationFault {
  readonly code: ErrorCode;
  readonly message: string;
  readonly param: string | null;
}

/** There is no model of this name, or the organization may not use it. */
export const MODEL_NOT_FOUND: ExaminationFault = {
  code: 'model_not_found',
  message: 'The model does not exist, or it is not available to the organization.',
  param: 'model',
};

/** The catalog could not be reached. */
export const MODELS_UNAVAILABLE: ExaminationFault = {
  code: 'model_availability_unavailable',
  message: 'The available models cannot be checked at the moment. Please retry.',
  param: null,
};
