import type { Dialect, RuntimeKind } from './dialect.ts';
import { llamaCppDialect } from './llama-cpp.ts';
import { openAiDialect } from './openai.ts';
import { sglangDialect } from './sglang.ts';
import { vllmDialect } from './vllm.ts';

export const DIALECTS: Readonly<Record<RuntimeKind, Dialect>> = {
  vllm: vllmDialect,
  'llama.cpp': llamaCppDialect,
  sglang: sglangDialect,
  openai: openAiDialect,
};

/** The dialect of the configured kind. With `auto`, the owners of the runtime's models decide. */
export function chooseDialect(
  kind: RuntimeKind | 'auto',
  owners: readonly (string | undefined)[],
): Dialect {
  if (kind !== 'auto') return DIALECTS[kind];
  const owns = ({ owner }: Dialect) => owners.some((name = '') => owner?.test(name));
  return Object.values(DIALECTS).find(owns) ?? openAiDialect;
}
