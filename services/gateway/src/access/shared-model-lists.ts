import type { CatalogModel } from '@sluice/contracts';
import { ModelList } from './model-list.ts';

/** The model list of an organization, as received from the catalog. */
export interface CatalogModels {
  /** Lists with the same tag are equal. */
  readonly tag: string;
  /** Call this only for an unknown tag. The catalog may omit the models of a known tag. */
  readonly read: () => readonly CatalogModel[];
}

type KnownLists = ReadonlyMap<string, ModelList>;

/**
 * How many of the latest tags each look-up names. After a change of a model, the catalog therefore sends the new list
 * of a plan once, and not again for each organization, for up to this many plans.
 */
const LATEST_TAGS = 16;

/** Shares one `ModelList` among organizations with equal lists, such as those of one plan. Unused lists are freed. */
export class SharedModelLists {
  readonly #onNew: (models: readonly CatalogModel[]) => void;
  readonly #byTag = new Map<string, WeakRef<ModelList>>();
  readonly #tags = new WeakMap<ModelList, string>();
  /** The tags received most recently, the newest last. */
  readonly #latest = new Set<string>();
  readonly #unused = new FinalizationRegistry<string>((tag) => {
    // An equal list may have taken its place meanwhile.
    if (this.#byTag.get(tag)?.deref() === undefined) this.#byTag.delete(tag);
  });

  /** `onNew` is called with each list that is read. */
  constructor(onNew: (models: readonly CatalogModel[]) => void = () => undefined) {
    this.#onNew = onNew;
  }

  /** Lists that the catalog may refer to by tag: the last list of the organization and the most recent ones. */
  known(last: ModelList | undefined): KnownLists {
    const known = new Map<string, ModelList>();
    const lastTag = last && this.#tags.get(last);
    if (last !== undefined && lastTag !== undefined) known.set(lastTag, last);
    for (const tag of this.#latest) {
      const list = this.#byTag.get(tag)?.deref();
      if (list !== undefined) known.set(tag, list);
    }
    return known;
  }

  /**
   * `known` holds the lists whose tags were sent to the catalog. Without this reference, a list could be freed
   * before the answer refers to it.
   */
  modelsOf({ tag, read }: CatalogModels, known?: KnownLists): ModelList {
    const list = known?.get(tag) ?? this.#findOrRead(tag, read);
    this.#tags.set(list, tag);
    this.#latest.delete(tag);
    this.#latest.add(tag);
    const [oldest] = this.#latest;
    if (oldest !== undefined && this.#latest.size > LATEST_TAGS) this.#latest.delete(oldest);
    return list;
  }

  #findOrRead(tag: string, read: () => readonly CatalogModel[]): ModelList {
    const known = this.#byTag.get(tag)?.deref();
    if (known !== undefined) return known;
    const models = read();
    this.#onNew(models);
    const list = new ModelList(models);
    this.#byTag.set(tag, new WeakRef(list));
    this.#unused.register(list, tag);
    return list;
  }
}
