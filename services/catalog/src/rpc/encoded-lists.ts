import { hash } from 'node:crypto';
import { encodeModels } from '@sluice/rpc';
import type { ModelList } from '../domain/model-lists.ts';

export interface EncodedList {
  /** Made of nothing but the bytes, so that every replica has the same for the same models. */
  readonly tag: string;
  readonly encodedModels: Buffer;
}

/** Lists of models as they are sent, each made once and kept for as long as its list is. */
export class EncodedLists {
  readonly #encoded = new WeakMap<ModelList, EncodedList>();

  of(list: ModelList): EncodedList {
    const known = this.#encoded.get(list);
    if (known !== undefined) return known;
    const encodedModels = encodeModels(list);
    const encoded = { tag: hash('sha256', encodedModels, 'base64'), encodedModels };
    this.#encoded.set(list, encoded);
    return encoded;
  }
}
