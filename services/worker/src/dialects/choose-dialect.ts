import type { Dialect, RuntimeKind } from './dialect.ts';
import { llamaCppDialect } from './llama-cpp-dialect.ts';
import { openAiDialect } from './openai-dialect.ts';
import { sglangDialect } from './sglang-dialect.ts';
import { vllmDialect } from './vllm-dialect.ts';

export const DIALECTS: Readonly<Record<RuntimeKind, Dialect>> = {
  vllm: vllmDialect,
  'llama.cpp': llamaCppDialect,
  sglang: sglangDialect,
  openai: openAiDialect,
};

/** That of the setting, else of a runtime whose models have these owners. */
export function chooseDialect(
  kind: RuntimeKind | 'auto',
  owners: readonly (string | undefined)[],
): Dialect {
  if (kind !== 'auto') return DIALECTS[kind];
  const owns = ({ owner }: Dialect) => owners.some((name = '') => owner?.test(name));
  return Object.values(DIALECTS).find(owns) ?? openAiDialect;
}
