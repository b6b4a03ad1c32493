import { STATUS_CODES } from 'node:http';

/** The error object of vLLM. Its `code` is the HTTP status. */
export interface ErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: number;
  };
}

// vLLM uses the name of its Python exception as the type, otherwise the name of the status.
const typeByStatus: Readonly<Record<number, string>> = {
  400: 'BadRequestError',
  404: 'NotFoundError',
  500: 'InternalServerError',
};

export function errorBody(status: number, message: string, param: string | null = null): ErrorBody {
  const type = typeByStatus[status] ?? STATUS_CODES[status] ?? 'Error';
  return { error: { message, type, param, code: status } };
}

/** A request that gets an error reply instead of an answer. */
export class RefusedRequest extends Error {
  override readonly name = 'RefusedRequest';
  readonly status: number;
  readonly body: ErrorBody;

  constructor(status: number, message: string, param: string | null = null) {
    super(message);
    this.status = status;
    this.body = errorBody(status, message, param);
  }
}

export interface ContextDemand {
  readonly contextLength: number;
  readonly promptTokens: number;
  /** The requested maximum of output tokens. 0 when it is not set. */
  readonly outputTokens: number;
  readonly outputParameter: 'max_tokens' | 'max_completion_tokens';
}

/** Refuses a request that does not fit the context, with the message of vLLM. */
export function refuseTooLong(demand: ContextDemand): void {
  const { contextLength, promptTokens, outputTokens, outputParameter } = demand;
  if (outputTokens > contextLength) {
    throw new RefusedRequest(
      400,
      `${outputParameter}=${outputTokens} cannot be greater than ` +
        `max_model_len=max_total_tokens=${contextLength}. Please request fewer output tokens.`,
      outputParameter,
    );
  }
  const room = contextLength - Math.max(1, outputTokens);
  if (promptTokens <= room) return;
  // vLLM stops counting one token after the maximum and says "at least" in the message.
  const inputLimit = contextLength - outputTokens;
  const counted = Math.min(promptTokens, inputLimit + 1);
  const atLeast = counted === inputLimit + 1 ? 'at least ' : '';
  throw new RefusedRequest(
    400,
    `This model's maximum context length is ${contextLength} tokens. However, you requested ` +
      `${outputTokens} output tokens and your prompt contains ${atLeast}${counted} input tokens, ` +
      `for a total of ${atLeast}${counted + outputTokens} tokens. Please reduce the length of the ` +
      'input prompt or the number of requested output tokens.',
    'input_tokens',
  );
}
