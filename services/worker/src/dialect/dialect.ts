import type { JobHeader, RuntimeLoad } from '@sluice/contracts';
import type { JsonObject } from '../json/json.ts';
import type { ClientRequest } from './client-request.ts';

export const RUNTIME_KINDS = ['vllm', 'llama.cpp', 'sglang', 'openai'] as const;
export type RuntimeKind = (typeof RUNTIME_KINDS)[number];

export interface TranslationOptions {
  /** Most tokens to generate, or undefined to leave it to the runtime. */
  readonly outputBound: number | undefined;
  /** Whether prompts of different organizations may meet in one prefix cache. */
  readonly sharedCache: boolean;
}

/** Asks the runtime something beside a generation; undefined when it does not answer, or does not know the path. */
export type AskRuntime = (path: string, body: JsonObject) => Promise<unknown>;

/** A page on which a runtime tells how many requests it works on at once. */
export interface SlotsPage {
  readonly path: string;
  readonly read: (page: unknown) => number | undefined;
}

/** One kind of runtime: a pure translation of requests. Streams are close enough to be read by one reader. */
export interface Dialect {
  readonly kind: RuntimeKind;
  /** Whom its models name as their owner, where they can be told by that. */
  readonly owner?: RegExp;
  /** What answers 503 until its models are loaded, where they are named before that. */
  readonly loadedPath?: string;
  readonly slotsPage?: SlotsPage;
  /** Whether each organization's prompts are cached apart from the others'. */
  readonly separatesCaches: boolean;
  /** Reads the runtime's page of metrics, where there is one. */
  readonly readLoad?: (page: string) => RuntimeLoad | undefined;
  requestBody(request: ClientRequest, header: JobHeader, options: TranslationOptions): JsonObject;
  /** The prompt's length by the runtime's own tokenizer; undefined where it cannot be had. */
  countPrompt(
    ask: AskRuntime,
    request: ClientRequest,
    header: JobHeader,
  ): Promise<number | undefined>;
}
