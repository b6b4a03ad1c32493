import { hash } from 'node:crypto';
import type { CatalogModel } from '@sluice/contracts';
import { ModelShelf } from './model-shelf.ts';

/** Shelves of the same models are one, for as long as anybody uses it: a plan's organizations have theirs in common. */
export class SharedShelves {
  readonly #byContent = new Map<string, WeakRef<ModelShelf>>();
  readonly #unused = new FinalizationRegistry<string>((content) => {
    // Another of the same content may stand in its place by now.
    if (this.#byContent.get(content)?.deref() === undefined) this.#byContent.delete(content);
  });

  shelfOf(models: readonly CatalogModel[]): ModelShelf {
    const content = hash('sha256', JSON.stringify(models), 'base64');
    const known = this.#byContent.get(content)?.deref();
    if (known !== undefined) return known;
    const shelf = new ModelShelf(models);
    this.#byContent.set(content, new WeakRef(shelf));
    this.#unused.register(shelf, content);
    return shelf;
  }
}
