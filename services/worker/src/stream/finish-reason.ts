import type { FinishReason } from '@sluice/contracts';

/** Maps a runtime's finish reason to one of the API. Undefined if the generation was broken off. */
export function finishReasonOf(
  runtimeReason: string,
  calledTools: boolean,
): FinishReason | undefined {
  switch (runtimeReason) {
    case 'length':
    // Mistral's name for the length limit of the context.
    case 'model_length':
      return 'length';
    case 'content_filter':
      return 'content_filter';
    case 'abort':
    case 'error':
    // TensorRT-LLM.
    case 'cancelled':
    case 'timeout':
    // DeepSeek.
    case 'insufficient_system_resource':
      return undefined;
    default:
      // Any other name is a normal end. Some runtimes end a forced call with `stop`, but clients expect `tool_calls`.
      return calledTools ? 'tool_calls' : 'stop';
  }
}
