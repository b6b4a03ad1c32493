import { toWireModel } from '@sluice/contracts';
import type { CatalogDirectory } from '../domain/catalog-directory.ts';
import { MODEL_NOT_FOUND, errorOfFault } from '../domain/examine-request.ts';
import type { Charge } from './charge.ts';
import { principalOf, type Exchange } from './exchange.ts';

export interface ModelsRoutesOptions {
  readonly charge: Charge;
  readonly directory: CatalogDirectory;
  readonly wallClock: () => number;
}

/** Reading models. Both give the body of the reply. */
export interface ModelsRoutes {
  list(exchange: Exchange): Promise<string>;
  retrieve(exchange: Exchange, id: string): Promise<string>;
}

export function createModelsRoutes(options: ModelsRoutesOptions): ModelsRoutes {
  const { charge, directory, wallClock } = options;
  const shelfOf = (exchange: Exchange) =>
    directory.models(principalOf(exchange).organization, {
      requestId: exchange.id,
      trace: exchange.span,
    });
  return {
    async list(exchange) {
      const shelf = await shelfOf(exchange);
      const body = shelf.listBody(wallClock());
      await charge(exchange, 0);
      return body;
    },
    async retrieve(exchange, id) {
      const shelf = await shelfOf(exchange);
      const model = shelf.find(id, wallClock());
      if (model === undefined) throw errorOfFault(MODEL_NOT_FOUND);
      exchange.modelId = model.id;
      await charge(exchange, 0);
      return JSON.stringify(toWireModel(model));
    },
  };
}
