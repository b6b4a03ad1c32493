import { mintCallId } from '@sluice/contracts';
import type { CallFragment } from '../dialect/read-chunk.ts';
import { AttemptFailure } from '../domain/attempt-failure.ts';
import { isJson } from '../json/json.ts';

interface Call {
  readonly id: string;
  readonly name: string;
  readonly runtimeId: string | undefined;
  arguments: string;
}

/** A fragment as clients get it; its delta is `{"tool_calls":[…]}`. */
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
  /** Whether the conversation has a call of this id already, by which the runtime would know another one. */
  readonly isTakenId: (id: string) => boolean;
  /** The function that the client wants called, and no other. */
  readonly demandedFunction: string | undefined;
  /** A call of this function begins, after so many others. Throws if it must not: nothing of it has been sent. */
  readonly onCall: (name: string, earlierCalls: number) => void;
}

/**
 * Gathers the tool calls of one answer. Ids begin with what is ours: it tells, when they come back, whether their step
 * carried reasoning. Indexes are ours, since some runtimes number every call 0.
 */
export class ToolCalls {
  readonly #options: ToolCallsOptions;
  readonly #calls: Call[] = [];
  readonly #byRuntimeIndex = new Map<number, number>();
  /** What came of calls before their names: they cannot be announced yet. */
  readonly #nameless = new Map<number, CallFragment>();

  constructor(options: ToolCallsOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#calls.length;
  }

  /** Whether there are arguments of a call that nobody can be told of. */
  get hasNameless(): boolean {
    return [...this.#nameless.values()].some(hasArguments);
  }

  /** Whether the last call has no end, or not even a beginning. */
  get lastIsUnfinished(): boolean {
    const last = this.#calls.at(-1);
    return last !== undefined && !isJson(last.arguments);
  }

  /** The fragments to send for one that arrived. The first of a call says who it is and has no arguments yet. */
  take(fragment: CallFragment, withReasoning: boolean): WireFragment[] {
    const runtimeIndex = fragment.index ?? 0;
    const known = this.#byRuntimeIndex.get(runtimeIndex);
    if (known !== undefined && !this.#beginsAnother(known, fragment)) {
      return this.#append(known, fragment.arguments);
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

  /** Calls without parameters: some runtimes send no arguments at all, and clients parse what they got. */
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

  /** Clients tell calls by their ids, those of earlier answers too. */
  #isNew(runtimeId: string | undefined): boolean {
    if (runtimeId === undefined || this.#options.isTakenId(runtimeId)) return false;
    return this.#calls.every((call) => call.runtimeId !== runtimeId);
  }

  #append(index: number, text: string): WireFragment[] {
    const call = this.#calls[index];
    if (call === undefined || text === '') return [];
    call.arguments += text;
    return [{ index, function: { arguments: text } }];
  }

  /** Some runtimes repeat the name in every fragment. Where there are no ids, another name is another call. */
  #beginsAnother(index: number, { id, name, arguments: text }: CallFragment): boolean {
    const known = this.#calls[index];
    if (name === undefined) return false;
    const differs = id === undefined ? known?.name !== name : known?.runtimeId !== id;
    if (!differs || name !== this.#options.demandedFunction || name !== known?.name) return differs;
    // Older versions of vLLM write it, and each time another id, into every fragment of the call that was demanded.
    return isJson(text) && isJson(known.arguments);
  }
}

/** Its arguments must not become another call's. */
function isOther(earlier: CallFragment, { id }: CallFragment): boolean {
  return hasArguments(earlier) && earlier.id !== undefined && id !== undefined && earlier.id !== id;
}

function hasArguments({ arguments: text }: CallFragment): boolean {
  return text.trim() !== '';
}
