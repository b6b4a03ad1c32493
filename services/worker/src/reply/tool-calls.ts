import { mintCallId } from '@sluice/contracts';
import type { CallFragment } from '../runtime/read-chunk.ts';

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

/**
 * Gathers the tool calls of one answer. Ids are ours: they tell, when they come back, whether their step carried
 * reasoning. Indexes are ours too, since some runtimes number every call 0.
 */
export class ToolCalls {
  readonly #calls: Call[] = [];
  readonly #byRuntimeIndex = new Map<number, number>();

  get count(): number {
    return this.#calls.length;
  }

  /** The fragments to send for one that arrived. The first of a call says who it is and has no arguments yet. */
  take(fragment: CallFragment, withReasoning: boolean): WireFragment[] {
    const runtimeIndex = fragment.index ?? 0;
    let index = this.#byRuntimeIndex.get(runtimeIndex);
    const fragments: WireFragment[] = [];
    if (index === undefined || this.#beginsAnother(index, fragment)) {
      // Until it has a name it cannot be announced; no runtime sends arguments before the name.
      if (fragment.name === undefined || fragment.name === '') return fragments;
      index = this.#calls.length;
      this.#byRuntimeIndex.set(runtimeIndex, index);
      const call = {
        id: mintCallId(withReasoning),
        name: fragment.name,
        runtimeId: fragment.id,
        arguments: '',
      };
      this.#calls.push(call);
      fragments.push({
        index,
        id: call.id,
        type: 'function',
        function: { name: call.name, arguments: '' },
      });
    }
    const call = this.#calls[index];
    if (call !== undefined && fragment.arguments !== '') {
      call.arguments += fragment.arguments;
      fragments.push({ index, function: { arguments: fragment.arguments } });
    }
    return fragments;
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

  #beginsAnother(index: number, { id, name }: CallFragment): boolean {
    const known = this.#calls[index];
    return (
      id !== undefined && id !== '' && name !== undefined && name !== '' && known?.runtimeId !== id
    );
  }
}
