import type { JobHeader, RuntimeLoad } from '@sluice/contracts';
import type { JsonObject } from '../json/json.ts';
import type { ClientRequest } from './client-request.ts';

export const RUNTIME_KINDS = ['vllm', 'llama.cpp', 'sglang', 'openai'] as const;
export type RuntimeKind = (typeof RUNTIME_KINDS)[number];

export interface TranslationOptions {
  /** Whether organizations may share a prefix cache. */
  readonly sharedCache: boolean;
  /** Whether the runtime gets the scheduling class as the priority of the request. */
  readonly priorities: boolean;
}

/** Sends a request other than a generation to the runtime. Resolves to undefined if the request fails. */
export type AskRuntime = (path: string, body: JsonObject) => Promise<unknown>;

/** A request that asks the runtime for the length of a prompt. */
export interface PromptLengthRequest {
  readonly path: string;
  readonly body: JsonObject;
}

/** A page on which a runtime reports how many requests it works on at once. */
export interface SlotsPage {
  readonly path: string;
  readonly read: (page: unknown) => number | undefined;
}

/** How requests are written for one kind of runtime. The replies of all kinds are read by the same code. */
export interface Dialect {
  readonly kind: RuntimeKind;
  /** Matches `owned_by` in the runtime's list of models, if that identifies this kind. */
  readonly owner?: RegExp;
  /** A path that answers 503 until the models are loaded, if the runtime lists models before that. */
  readonly loadedPath?: string;
  readonly slotsPage?: SlotsPage;
  /** Whether every version of this kind keeps the prefix caches of organizations apart. */
  readonly separatesCaches: boolean;
  /** Reads the runtime's metrics page, if this kind has one. */
  readonly readLoad?: (page: string) => RuntimeLoad | undefined;
  /** The body of the request for a generation, without `max_tokens`. */
  requestBody(request: ClientRequest, header: JobHeader, options: TranslationOptions): JsonObject;
  /** The request for the length of the prompt; undefined if this kind cannot count it. */
  promptLengthRequest(request: ClientRequest, header: JobHeader): PromptLengthRequest | undefined;
  /** The length of the prompt, from the answer to `promptLengthRequest`; undefined if the answer does not show it. */
  promptLength(
    answer: unknown,
    ask: AskRuntime,
    header: JobHeader,
  ): number | undefined | Promise<number | undefined>;
}
