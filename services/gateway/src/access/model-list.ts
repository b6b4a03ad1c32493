import { toWireModel, type CatalogModel } from '@sluice/contracts';

const DAY_MS = 86_400_000;

/** The models that an organization may use. Shutdown dates are checked at every request. */
export class ModelList {
  readonly #models: readonly CatalogModel[];
  readonly #byId: ReadonlyMap<string, CatalogModel>;
  #list: { readonly day: number; readonly body: string } | undefined;

  constructor(models: readonly CatalogModel[]) {
    this.#models = models;
    this.#byId = new Map(models.map((model) => [model.id, model]));
  }

  find(id: string, nowMs: number): CatalogModel | undefined {
    const model = this.#byId.get(id);
    return model !== undefined && isAvailable(model, dayText(nowMs)) ? model : undefined;
  }

  available(nowMs: number): readonly CatalogModel[] {
    const today = dayText(nowMs);
    return this.#models.filter((model) => isAvailable(model, today));
  }

  /**
   * The body of the reply to `GET /models`. Rendered once a day, because shutdown dates take effect at midnight UTC.
   */
  listBody(nowMs: number): string {
    const day = Math.floor(nowMs / DAY_MS);
    if (this.#list?.day !== day) {
      const data = this.available(nowMs).map(toWireModel);
      this.#list = { day, body: JSON.stringify({ object: 'list', data }) };
    }
    return this.#list.body;
  }
}

/** A model is unavailable from 00:00 UTC of its shutdown date. */
function isAvailable({ shutdown_date: date }: CatalogModel, today: string): boolean {
  return date === null || today < date;
}

let latestDay = { number: Number.NaN, text: '' };

/** Cached, since formatting a date costs more than the rest of a look-up. */
function dayText(nowMs: number): string {
  const number = Math.floor(nowMs / DAY_MS);
  if (latestDay.number !== number) {
    latestDay = { number, text: new Date(nowMs).toISOString().slice(0, 10) };
  }
  return latestDay.text;
}
