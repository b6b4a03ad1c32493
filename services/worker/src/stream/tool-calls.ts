import { mintCallId } from '@sluice/contracts';
import { AttemptFailure } from '../attempt/attempt-failure.ts';
import { isJson } from '../json/json.ts';
import type { CallFragment } from './read-chunk.ts';

interface Call {
  readonly id: string;
  readonly name: string;
  readonly runtimeId: string | undefined;
  arguments: string;
}

/** A fragment as sent to clients, in a delta `{"tool_calls":[…]}`. */
export interface WireFragment {
  readonly index: number;
  readonly id?: string;
  readonly type?: 'function';
  readonly function: { readonly name?: string; readonly arguments: string };
}

export interface WireCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface ToolCallsOptions {
  /** Whether the conversation already has a call with this id. */
  readonly isUsedCallId: (id: string) => boolean;
  /** The function that the client's `tool_choice` names. */
  readonly forcedFunction: string | undefined;
  /** Called before anything of a call is sent. Throws if the call breaks a promise. */
  readonly onCall: (name: string, earlierCalls: number) => void;
}

/**
 * Collects the tool calls of one reply. Each call gets a new id. When a client sends the call back, the prefix of the
 * id shows whether the model returned reasoning with it. Each call also gets a new index, because some runtimes number
 * every call 0.
 */
export class ToolCalls {
  readonly #options: ToolCallsOptions;
  readonly #calls: Call[] = [];
  /** The index of each call in `#calls`, by the index that the runtime gave it. */
  readonly #byRuntimeIndex = new Map<number, number>();
  /** What has arrived of calls without a name, by the index of the runtime. A call cannot be sent before its name. */
  readonly #nameless = new Map<number, CallFragment>();

  constructor(options: ToolCallsOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#calls.length;
  }

  /** Whether a call has arguments but no name. */
  get hasNameless(): boolean {
    return [...this.#nameless.values()].some(hasArguments);
  }

  /** Whether the arguments of the last call are incomplete or missing. */
  get lastIsUnfinished(): boolean {
    const last = this.#calls.at(-1);
    return last !== undefined && !isJson(last.arguments);
  }

  /**
   * Takes a fragment that arrived, and returns the fragments to send. The first fragment of a call has its id and name,
   * and no arguments.
   */
  take(fragment: CallFragment, withReasoning: boolean): WireFragment[] {
    const runtimeIndex = fragment.index ?? 0;
    const knownIndex = this.#byRuntimeIndex.get(runtimeIndex);
    if (knownIndex !== undefined && !this.#beginsAnother(knownIndex, fragment)) {
      return this.#append(knownIndex, fragment.arguments);
    }
    const earlier = this.#nameless.get(runtimeIndex);
    if (earlier !== undefined && isOther(earlier, fragment)) throw AttemptFailure.invalidOutput();
    const text = (earlier?.arguments ?? '') + fragment.arguments;
    const runtimeId = fragment.id ?? earlier?.id;
    if (fragment.name === undefined) {
      this.#nameless.set(runtimeIndex, { ...fragment, id: runtimeId, arguments: text });
      return [];
    }
    this.#nameless.delete(runtimeIndex);
    const index = this.#calls.length;
    this.#options.onCall(fragment.name, index);
    this.#byRuntimeIndex.set(runtimeIndex, index);
    const id = mintCallId(withReasoning, this.#isNew(runtimeId) ? runtimeId : undefined);
    const call = { id, name: fragment.name, runtimeId, arguments: '' };
    this.#calls.push(call);
    const announcement: WireFragment = {
      index,
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: '' },
    };
    return [announcement, ...this.#append(index, text)];
  }

  /** Completes missing arguments to `{}`. Some runtimes send none for a call without parameters; clients parse them. */
  completeEmptyArguments(): WireFragment[] {
    const fragments: WireFragment[] = [];
    for (const [index, call] of this.#calls.entries()) {
      if (call.arguments.trim() === '') {
        call.arguments += '{}';
        fragments.push({ index, function: { arguments: '{}' } });
      }
    }
    return fragments;
  }

  wholeCalls(): WireCall[] {
    return this.#calls.map(({ id, name, arguments: text }) => ({
      id,
      type: 'function',
      function: { name, arguments: text },
    }));
  }

  /** Ids must be unique in the whole conversation, because clients distinguish calls by them. */
  #isNew(runtimeId: string | undefined): boolean {
    if (runtimeId === undefined || this.#options.isUsedCallId(runtimeId)) return false;
    return this.#calls.every((call) => call.runtimeId !== runtimeId);
  }

  #append(index: number, text: string): WireFragment[] {
    const call = this.#calls[index];
    if (call === undefined || text === '') return [];
    call.arguments += text;
    return [{ index, function: { arguments: text } }];
  }

  /** Some runtimes repeat the name in every fragment. Without ids, a different name begins another call. */
  #beginsAnother(index: number, { id, name, arguments: text }: CallFragment): boolean {
    const known = this.#calls[index];
    if (name === undefined) return false;
    const differs = id === undefined ? known?.name !== name : known?.runtimeId !== id;
    if (!differs) return false;
    if (name !== known?.name || name !== this.#options.forcedFunction) return true;
    // Older versions of vLLM repeat the name of a forced function, with a new id, in every fragment of its call. Only
    // complete arguments on both sides show that these are two calls.
    return isJson(text) && isJson(known.arguments);
  }
}

/** Whether a fragment belongs to another call than an earlier fragment that has arguments but no name. */
function isOther(earlier: CallFragment, { id }: CallFragment): boolean {
  return hasArguments(earlier) && earlier.id !== undefined && id !== undefined && earlier.id !== id;
}

function hasArguments({ arguments: text }: CallFragment): boolean {
  return text.trim() !== '';
}
