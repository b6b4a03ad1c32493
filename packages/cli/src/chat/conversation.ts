/** Messages in the format of the API. They are sent back unchanged. */
export interface ToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | {
      readonly role: 'assistant';
      readonly content: string | null;
      readonly reasoning_content?: string;
      readonly tool_calls?: readonly ToolCall[];
    }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };

export interface ChatOptions {
  readonly model: string;
  readonly system?: string | undefined;
  readonly reasoningEffort?: string | undefined;
  /** Function tools in the format of the API. */
  readonly tools?: readonly unknown[] | undefined;
}

/** The messages so far. A turn without an answer is removed as a whole. */
export class Conversation {
  readonly #options: ChatOptions;
  readonly #messages: ChatMessage[] = [];
  #model: string;
  #system: string | undefined;
  #turnStart = 0;

  constructor(options: ChatOptions) {
    this.#options = options;
    this.#model = options.model;
    this.#system = options.system;
  }

  get model(): string {
    return this.#model;
  }

  set model(id: string) {
    this.#model = id;
  }

  set system(content: string | undefined) {
    this.#system = content;
  }

  /** Forgets all turns. The system message stays. */
  clear(): void {
    this.#messages.length = 0;
  }

  ask(content: string): void {
    this.#turnStart = this.#messages.length;
    this.#messages.push({ role: 'user', content });
  }

  add(message: ChatMessage): void {
    this.#messages.push(message);
  }

  forgetTurn(): void {
    this.#messages.length = this.#turnStart;
  }

  requestBody(): object {
    const { tools, reasoningEffort } = this.#options;
    const system = this.#system;
    return {
      model: this.#model,
      messages:
        system === undefined
          ? this.#messages
          : [{ role: 'system', content: system }, ...this.#messages],
      stream: true,
      stream_options: { include_usage: true, include_obfuscation: false },
      reasoning_effort: reasoningEffort,
      tools,
    };
  }
}
