import type { FinishReason } from '@sluice/contracts';

/** A runtime's finish reason as one of the four; undefined when it says that the generation was broken off. */
export function finishReasonOf(
  runtimeReason: string,
  calledTools: boolean,
): FinishReason | undefined {
  switch (runtimeReason) {
    case 'length':
    // Mistral's word for the end of the context.
    case 'model_length':
      return 'length';
    case 'content_filter':
      return 'content_filter';
    case 'abort':
    case 'error':
    // TensorRT-LLM has these two, DeepSeek the third.
    case 'cancelled':
    case 'timeout':
    case 'insufficient_system_resource':
      return undefined;
    default:
      // Whatever else it is called, it is a normal end. A forced call ends with `stop` in some runtimes, and clients
      // look for the reason to find the call.
      return calledTools ? 'tool_calls' : 'stop';
  }
}
