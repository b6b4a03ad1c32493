import type { Writable } from 'node:stream';
import { RATE_LIMIT_HEADERS } from '@sluice/contracts';
import type { Terminal } from '../command.ts';
import { harmlessText } from '../harmless-text.ts';
import type { AnswerObserver, AnswerUsage } from './answer.ts';
import type { ToolCall } from './conversation.ts';

const DIM = '\u001B[2m';
const PLAIN = '\u001B[0m';

/**
 * Writes answers as they arrive. On a terminal everything goes to standard output without control characters, and all
 * text except the answer is dimmed. Otherwise standard output receives the unchanged answer, and everything else goes
 * to standard error.
 */
export class AnswerDisplay implements AnswerObserver {
  readonly #output: Writable;
  readonly #notes: Writable;
  readonly #interactive: boolean;
  readonly #dims: boolean;
  #last: 'nothing' | 'reasoning' | 'content' = 'nothing';

  constructor(
    { output, errors, interactive }: Terminal,
    { colour = interactive }: { readonly colour?: boolean | undefined } = {},
  ) {
    this.#output = output;
    this.#notes = interactive ? output : errors;
    this.#interactive = interactive;
    this.#dims = interactive && colour;
  }

  reasoning(text: string): void {
    this.#last = 'reasoning';
    this.#notes.write(this.#dimmed(text));
  }

  content(text: string): void {
    if (this.#last === 'reasoning') this.#notes.write('\n\n');
    this.#last = 'content';
    this.#output.write(this.#shown(text));
  }

  call({ function: called }: ToolCall): void {
    this.note(`→ ${called.name}(${called.arguments})`);
  }

  /** Writes a separate line. */
  note(text: string): void {
    this.endLine();
    this.#notes.write(`${this.#dimmed(text)}\n`);
  }

  endLine(): void {
    if (this.#last === 'content') this.#output.write('\n');
    else if (this.#last === 'reasoning') this.#notes.write('\n');
    this.#last = 'nothing';
  }

  #shown(text: string): string {
    return this.#interactive ? harmlessText(text) : text;
  }

  #dimmed(text: string): string {
    return this.#dims ? `${DIM}${harmlessText(text)}${PLAIN}` : this.#shown(text);
  }
}

/** The tokens of an answer, and what remains of the limits of this minute. */
export function costText(usage: AnswerUsage | undefined, headers: Headers): string {
  const parts: string[] = [];
  if (usage !== undefined) {
    const { input, cached, output, reasoning } = usage;
    parts.push(`${input} tokens in${cached > 0 ? ` (${cached} cached)` : ''}`);
    parts.push(`${output} out${reasoning > 0 ? ` (${reasoning} reasoning)` : ''}`);
  }
  const requests = headers.get(RATE_LIMIT_HEADERS.requests_per_minute.remaining);
  const tokens = headers.get(RATE_LIMIT_HEADERS.tokens_per_minute.remaining);
  const left = [
    ...(requests === null ? [] : [`${requests} requests`]),
    ...(tokens === null ? [] : [`${tokens} tokens`]),
  ];
  if (left.length > 0) parts.push(`${left.join(' and ')} left this minute`);
  return `[${parts.join(' · ')}]`;
}
