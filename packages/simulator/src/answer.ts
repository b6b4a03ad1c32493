import { type ChatRequest, parseChatRequest } from './chat-request.ts';
import { chooseTools } from './choose-tools.ts';
import { defaultModels, type SimulatedModel } from './models.ts';
import { conversationHash, lastUserText, promptTokens } from './prompt.ts';
import { prose, sentences, type TokenizedText } from './prose.ts';
import { hashText, SeededRandom } from './random.ts';
import { refuseTooLong, RefusedRequest } from './refusal.ts';
import { readSteering, type Steering } from './steering.ts';
import { schemaValue, structuredContent } from './structured-content.ts';
import { tokenEnds } from './tokenizer.ts';

// Numbers of sentences. A sentence has about fifteen tokens.
const usualReasoning = { least: 1, most: 3 };
const usualContent = { least: 3, most: 7 };
const effortFactors = {
  none: 0,
  minimal: 0.25,
  low: 0.5,
  medium: 1,
  high: 2,
  xhigh: 3,
  max: 4,
} as const;

/** A run of tokens of one kind. The name of a called tool is one token. */
export type AnswerPart =
  | ({ readonly kind: 'reasoning' } & TokenizedText)
  | ({ readonly kind: 'content' } & TokenizedText)
  | ({ readonly kind: 'call'; readonly name: string } & TokenizedText);

/** Everything about a reply that depends only on its request. It does not contain the text of the request. */
export interface AnswerPlan {
  readonly model: SimulatedModel;
  readonly steering: Steering;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  /** Whether the request requires a tool call. */
  readonly forcedTool: boolean;
  readonly cacheSalt: string;
  readonly promptTokens: number;
  readonly parts: readonly AnswerPart[];
  /** The number of tokens of all parts. */
  readonly tokens: number;
  readonly reasoningTokens: number;
  readonly finishReason: string;
}

export function partTokens(part: AnswerPart): number {
  return part.ends.length + (part.kind === 'call' ? 1 : 0);
}

const tokenized = (text: string): TokenizedText => ({ text, ends: tokenEnds(text) });

/** The reasoning, in whole sentences unless the `@sim` line sets a number of tokens. */
function reasoningText(
  request: ChatRequest,
  model: SimulatedModel,
  steering: Steering,
  random: SeededRandom,
): TokenizedText {
  if (steering.reasoning !== undefined) return prose(random, 'thinking', steering.reasoning);
  const wanted = model.reasoning && request.chat_template_kwargs?.enable_thinking !== false;
  const factor = wanted ? effortFactors[request.reasoning_effort ?? 'medium'] : 0;
  const usual = random.integer(usualReasoning.least, usualReasoning.most);
  return sentences(random, 'thinking', Math.ceil(usual * factor));
}

function contentText(
  request: ChatRequest,
  steering: Steering,
  random: SeededRandom,
): TokenizedText {
  const formatted =
    steering.breaks === 'response_format' ? undefined : structuredContent(request, random);
  const fixed = steering.text ?? formatted;
  if (fixed !== undefined) return tokenized(fixed);
  if (steering.tokens !== undefined) return prose(random, 'answering', steering.tokens);
  const usual = random.integer(usualContent.least, usualContent.most);
  return sentences(random, 'answering', usual);
}

function wholeParts(request: ChatRequest, model: SimulatedModel, steering: Steering): AnswerPart[] {
  const start = hashText(`${model.name}\n${request.seed ?? ''}\n`);
  const seed = conversationHash(request.messages, start);
  // Each part has its own random numbers, so that a different length of one part does not change another part.
  const randomFor = (part: string) => new SeededRandom(hashText(part, seed));
  const reasoning: AnswerPart = {
    kind: 'reasoning',
    ...reasoningText(request, model, steering, randomFor('reasoning')),
  };
  const thoughts = reasoning.ends.length > 0 ? [reasoning] : [];
  const calls = chooseTools(request, steering, randomFor('tools')).map(
    (tool, index): AnswerPart => {
      const { name, parameters } = tool.function;
      const schema = { type: 'object', ...(typeof parameters === 'object' ? parameters : {}) };
      const make = () =>
        steering.breaks === 'arguments'
          ? '[]'
          : JSON.stringify(schemaValue(schema, randomFor(`call ${index}`), 'tools'));
      return { kind: 'call', name, ...tokenized(steering.arguments ?? make()) };
    },
  );
  if (calls.length > 0) return [...thoughts, ...calls];
  const content: AnswerPart = {
    kind: 'content',
    ...contentText(request, steering, randomFor('content')),
  };
  return steering.breaks === 'reasoning_first' ? [content, ...thoughts] : [...thoughts, content];
}

/** Keeps the first `limit` tokens. */
export function cutParts(parts: readonly AnswerPart[], limit: number): AnswerPart[] {
  const kept: AnswerPart[] = [];
  let room = limit;
  for (const part of parts) {
    const size = partTokens(part);
    if (size <= room) kept.push(part);
    else if (room > 0) {
      const ends = part.ends.slice(0, part.kind === 'call' ? room - 1 : room);
      kept.push({ ...part, ends, text: part.text.slice(0, ends.at(-1) ?? 0) });
    }
    room -= Math.min(size, room);
  }
  return kept;
}

/** Whether the request requires a tool call: of any tool, or of the tool that it names. */
const isForced = ({ tool_choice: choice }: ChatRequest): boolean =>
  choice === 'required' || (typeof choice === 'object' && choice !== null);

function usualFinishReason(request: ChatRequest, parts: readonly AnswerPart[]): string {
  if (!parts.some(({ kind }) => kind === 'call')) return 'stop';
  // In vLLM, a call of the tool that `tool_choice` names ends with `stop`.
  return isForced(request) && request.tool_choice !== 'required' ? 'stop' : 'tool_calls';
}

function breaksThisTime(request: ChatRequest, steering: Steering, mayBreak: MayBreak): boolean {
  const { breaks, breaks_times: times } = steering;
  if (breaks === undefined || times === undefined) return true;
  return mayBreak(conversationHash(request.messages, 0), times);
}

export interface PlannedAnswer {
  readonly plan: AnswerPlan;
  /**
   * The tokens of the prompt. They are not a part of the plan, because they are large and only needed until the answer
   * starts.
   */
  readonly prompt: readonly number[];
}

/**
 * Decides whether the reply to a conversation is broken. The conversation is given by its hash. `times` is how many
 * replies to it have to be broken in total.
 */
type MayBreak = (conversation: number, times: number) => boolean;

/** Decides the whole reply to a request. Throws a `RefusedRequest` for a request that gets an error. */
export function planAnswer(
  body: unknown,
  models: readonly SimulatedModel[],
  mayBreak: MayBreak = () => true,
): PlannedAnswer {
  const request = parseChatRequest(body);
  const model = models.find(({ name }) => name === request.model);
  if (model === undefined) {
    throw new RefusedRequest(404, `The model \`${request.model}\` does not exist.`, 'model');
  }
  const given = readSteering(lastUserText(request.messages));
  const steering = breaksThisTime(request, given, mayBreak)
    ? given
    : { ...given, breaks: undefined };
  if (steering.status !== undefined) {
    throw new RefusedRequest(steering.status, 'This status was requested by the @sim line.');
  }
  const prompt = promptTokens(request);
  const requested = request.max_completion_tokens ?? request.max_tokens ?? 0;
  refuseTooLong({
    contextLength: model.contextLength,
    promptTokens: prompt.length,
    outputTokens: requested,
    outputParameter: request.max_completion_tokens ? 'max_completion_tokens' : 'max_tokens',
  });
  const limit = requested || model.contextLength - prompt.length;
  const whole = wholeParts(request, model, steering);
  const wholeTokens = whole.reduce((sum, part) => sum + partTokens(part), 0);
  const parts = wholeTokens > limit ? cutParts(whole, limit) : whole;
  const ownFinishReason = wholeTokens > limit ? 'length' : usualFinishReason(request, whole);
  const reasoning = parts.find(({ kind }) => kind === 'reasoning');
  const plan: AnswerPlan = {
    model,
    steering,
    stream: request.stream === true,
    includeUsage: request.stream_options?.include_usage === true,
    forcedTool: isForced(request),
    cacheSalt: request.cache_salt ?? '',
    promptTokens: prompt.length,
    parts,
    tokens: Math.min(wholeTokens, limit),
    reasoningTokens: reasoning?.ends.length ?? 0,
    finishReason: steering.finish_reason ?? ownFinishReason,
  };
  return { plan, prompt };
}

export interface SimulatedAnswer {
  readonly reasoning: string | null;
  readonly content: string | null;
  readonly toolCalls: readonly { readonly name: string; readonly arguments: string }[];
  readonly finishReason: string;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
}

/**
 * The reply of a simulator with these models to a request. The function is pure, so a test knows every token
 * beforehand. Only ids, times and cached tokens do not depend on the request alone. Throws a `RefusedRequest` when the
 * simulator would answer with an error.
 */
export function simulatedAnswer(
  body: unknown,
  models: readonly SimulatedModel[] = defaultModels,
): SimulatedAnswer {
  const { plan } = planAnswer(body, models);
  const textOf = (kind: AnswerPart['kind']) =>
    plan.parts.find((part) => part.kind === kind)?.text ?? null;
  return {
    reasoning: textOf('reasoning'),
    content: textOf('content'),
    toolCalls: plan.parts
      .filter((part) => part.kind === 'call')
      .map(({ name, text }) => ({ name, arguments: text })),
    finishReason: plan.finishReason,
    promptTokens: plan.promptTokens,
    completionTokens: plan.tokens,
    reasoningTokens: plan.reasoningTokens,
  };
}
