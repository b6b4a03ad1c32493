import { hash } from 'node:crypto';
import type { CatalogModel } from '@sluice/contracts';
import { ModelShelf } from './model-shelf.ts';

/** The models of an organization as the catalog tells them. */
export interface ToldModels {
  /** The catalog's name of what they are: the same tag, the same models. Undefined: it gave them none. */
  readonly tag: string | undefined;
  /** Only for a tag that is not known here: with one that is, they need not have been told. */
  readonly read: () => readonly CatalogModel[];
}

type KnownShelves = ReadonlyMap<string, ModelShelf>;

/** After a change of a model, the new lists of so many plans are told once and not to each organization. */
const LATEST_TAGS = 16;

/** Shelves of the same models are one, for as long as anybody uses it: a plan's organizations have theirs in common. */
export class SharedShelves {
  readonly #byContent = new Map<string, WeakRef<ModelShelf>>();
  readonly #tags = new WeakMap<ModelShelf, string>();
  /** Those told last, the newest at the end. */
  readonly #latest = new Set<string>();
  readonly #unused = new FinalizationRegistry<string>((content) => {
    // Another of the same content may stand in its place by now.
    if (this.#byContent.get(content)?.deref() === undefined) this.#byContent.delete(content);
  });

  /** Those that an organization may be told to have by their tags: the one that it had last, and the latest of others. */
  known(last: ModelShelf | undefined): KnownShelves {
    const known = new Map<string, ModelShelf>();
    const lastTag = last && this.#tags.get(last);
    if (last !== undefined && lastTag !== undefined) known.set(lastTag, last);
    for (const tag of this.#latest) {
      const shelf = this.#byContent.get(tag)?.deref();
      if (shelf !== undefined) known.set(tag, shelf);
    }
    return known;
  }

  /** `known` are those whose tags the catalog was told, held until now: they may have been in use nowhere else. */
  shelfOf({ tag, read }: ToldModels, known?: KnownShelves): ModelShelf {
    if (tag === undefined) {
      const models = read();
      return this.#shelf(hash('sha256', JSON.stringify(models), 'base64'), () => models);
    }
    const shelf = known?.get(tag) ?? this.#shelf(tag, read);
    this.#tags.set(shelf, tag);
    this.#latest.delete(tag);
    this.#latest.add(tag);
    const [oldest] = this.#latest;
    if (oldest !== undefined && this.#latest.size > LATEST_TAGS) this.#latest.delete(oldest);
    return shelf;
  }

  #shelf(content: string, read: () => readonly CatalogModel[]): ModelShelf {
    const known = this.#byContent.get(content)?.deref();
    if (known !== undefined) return known;
    const shelf = new ModelShelf(read());
    this.#byContent.set(content, new WeakRef(shelf));
    this.#unused.register(shelf, content);
    return shelf;
  }
}
