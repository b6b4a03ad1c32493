import type { FinishReason } from '@sluice/contracts';

/** A runtime's finish reason as one of the API's; undefined if the generation was broken off. */
export function finishReasonOf(
  runtimeReason: string,
  calledTools: boolean,
): FinishReason | undefined {
  switch (runtimeReason) {
    case 'length':
    // Mistral's name for the end of the context.
    case 'model_length':
      return 'length';
    case 'content_filter':
      return 'content_filter';
    case 'abort':
    case 'error':
    // The next two are from TensorRT-LLM, the third is from DeepSeek.
    case 'cancelled':
    case 'timeout':
    case 'insufficient_system_resource':
      return undefined;
    default:
      // Any other name is a normal end. Some runtimes end a forced call with `stop`, but clients expect `tool_calls`.
      return calledTools ? 'tool_calls' : 'stop';
  }
}
