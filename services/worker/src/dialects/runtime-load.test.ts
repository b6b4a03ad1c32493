import { describe, expect, it } from 'vitest';
import { readLlamaCppLoad, readVllmLoad } from './runtime-load.ts';

/** The page of vLLM up to version 0.8, as documented. */
const OLDER_VLLM = `
# HELP vllm:num_requests_running Number of requests currently running on GPU.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{model_name="meta-llama/Llama-3.1-8B-Instruct"} 8.0
# HELP vllm:num_requests_swapped Number of requests swapped to CPU.
# TYPE vllm:num_requests_swapped gauge
vllm:num_requests_swapped{model_name="meta-llama/Llama-3.1-8B-Instruct"} 0.0
# HELP vllm:num_requests_waiting Number of requests waiting to be processed.
# TYPE vllm:num_requests_waiting gauge
vllm:num_requests_waiting{model_name="meta-llama/Llama-3.1-8B-Instruct"} 3.0
# HELP vllm:gpu_cache_usage_perc GPU KV-cache usage. 1 means 100 percent usage.
# TYPE vllm:gpu_cache_usage_perc gauge
vllm:gpu_cache_usage_perc{model_name="meta-llama/Llama-3.1-8B-Instruct"} 0.4375
# HELP vllm:time_to_first_token_seconds Histogram of time to first token in seconds.
# TYPE vllm:time_to_first_token_seconds histogram
vllm:time_to_first_token_seconds_sum{model_name="meta-llama/Llama-3.1-8B-Instruct"} 1.03
vllm:time_to_first_token_seconds_bucket{le="0.001",model_name="meta-llama/Llama-3.1-8B-Instruct"} 0.0
`;

/** The page of newer versions, as documented, with two engines behind one server. */
const NEWER_VLLM = `
# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="Qwen/Qwen3-8B"} 5.0
vllm:num_requests_running{engine="1",model_name="Qwen/Qwen3-8B"} 2.0
# HELP vllm:num_requests_waiting Number of requests waiting to be processed.
# TYPE vllm:num_requests_waiting gauge
vllm:num_requests_waiting{engine="0",model_name="Qwen/Qwen3-8B"} 1.0
vllm:num_requests_waiting{engine="1",model_name="Qwen/Qwen3-8B"} 0.0
# HELP vllm:num_requests_waiting_by_reason Number of waiting requests by reason.
# TYPE vllm:num_requests_waiting_by_reason gauge
vllm:num_requests_waiting_by_reason{engine="0",model_name="Qwen/Qwen3-8B",reason="capacity"} 1.0
# HELP vllm:kv_cache_usage_perc KV-cache usage. 1 means 100 percent usage.
# TYPE vllm:kv_cache_usage_perc gauge
vllm:kv_cache_usage_perc{engine="0",model_name="Qwen/Qwen3-8B"} 0.91
vllm:kv_cache_usage_perc{engine="1",model_name="Qwen/Qwen3-8B"} 0.25
`;

/** The page of a real llama-server 0.7.0 that was started with --metrics. */
const LLAMA_CPP = `
# HELP llamacpp:prompt_tokens_total Number of prompt tokens processed, excluding cached tokens
# TYPE llamacpp:prompt_tokens_total counter
llamacpp:prompt_tokens_total 22
# HELP llamacpp:prompt_tokens_seconds Average prompt throughput in tokens/s
# TYPE llamacpp:prompt_tokens_seconds gauge
llamacpp:prompt_tokens_seconds 22797.9
# HELP llamacpp:requests_processing Number of requests processing
# TYPE llamacpp:requests_processing gauge
llamacpp:requests_processing 1
# HELP llamacpp:requests_deferred Number of requests deferred
# TYPE llamacpp:requests_deferred gauge
llamacpp:requests_deferred 0
# HELP llamacpp:n_busy_slots_per_decode Average number of busy slots per llama_decode() call
# TYPE llamacpp:n_busy_slots_per_decode gauge
llamacpp:n_busy_slots_per_decode 1
`;

describe("a runtime's metrics page", () => {
  it('of an older vLLM is read by its names', () => {
    expect(readVllmLoad(OLDER_VLLM)).toEqual({ running: 8, waiting: 3, cache_use: 0.4375 });
  });

  it('of a newer vLLM is read by the new name of its cache, over all engines', () => {
    expect(readVllmLoad(NEWER_VLLM)).toEqual({ running: 7, waiting: 1, cache_use: 0.91 });
  });

  it('that has both names of the cache is read by the newer one', () => {
    const page = `${NEWER_VLLM}vllm:gpu_cache_usage_perc{engine="0"} 0.99\n`;
    expect(readVllmLoad(page)).toMatchObject({ cache_use: 0.91 });
  });

  it('of llama.cpp is read by its own names, and has no cache use', () => {
    expect(readLlamaCppLoad(LLAMA_CPP)).toEqual({ running: 1, waiting: 0, cache_use: null });
    const older = `${LLAMA_CPP}llamacpp:kv_cache_usage_ratio 0.5\n`;
    expect(readLlamaCppLoad(older)).toMatchObject({ cache_use: 0.5 });
  });

  it.each([
    ['labels with braces and quotes', '{model_name="a } \\" b", x="y"} 4', 4],
    ['no labels', ' 4', 4],
    ['a timestamp after the value', '{engine="0"} 4 1700000000000', 4],
    ['a carriage return at the line end', '{engine="0"} 4\r', 4],
    ['an exponent', ' 1.2e+1', 12],
    ['a negative value', ' -1', 0],
  ])('may have %s', (_, rest, running) => {
    expect(readVllmLoad(`vllm:num_requests_running${rest}\n`)).toMatchObject({ running });
  });

  it.each(['', 'not a page', 'vllm:num_requests_running', 'vllm:num_requests_running NaN', '{}'])(
    'without running requests has no load: %j',
    (page) => {
      expect(readVllmLoad(page)).toBeUndefined();
      expect(readLlamaCppLoad(page)).toBeUndefined();
    },
  );
});
