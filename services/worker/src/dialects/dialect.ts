import type { JobHeader, RuntimeLoad } from '@sluice/contracts';
import type { JsonObject } from '../json/json.ts';
import type { ClientRequest } from './client-request.ts';

export const RUNTIME_KINDS = ['vllm', 'llama.cpp', 'sglang', 'openai'] as const;
export type RuntimeKind = (typeof RUNTIME_KINDS)[number];

export interface TranslationOptions {
  /** Whether prompts of different organizations may meet in one prefix cache. */
  readonly sharedCache: boolean;
}

/** Asks the runtime something beside a generation; undefined when it does not answer, or does not know the path. */
export type AskRuntime = (path: string, body: JsonObject) => Promise<unknown>;

export interface PromptQuestion {
  readonly path: string;
  readonly body: JsonObject;
}

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
  /** What the runtime is asked for an answer with, but for the bound of its output. */
  requestBody(request: ClientRequest, header: JobHeader, options: TranslationOptions): JsonObject;
  /** What to ask the runtime's own tokenizer for the prompt's length; undefined where it cannot be asked. */
  promptQuestion(request: ClientRequest, header: JobHeader): PromptQuestion | undefined;
  /** The prompt's length, from the answer to that question; undefined where it cannot be had. */
  promptLength(
    answer: unknown,
    ask: AskRuntime,
    header: JobHeader,
  ): number | undefined | Promise<number | undefined>;
}
