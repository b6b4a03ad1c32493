import { toWireModel } from '@sluice/contracts';
import type { CatalogDirectory } from '../domain/catalog-directory.ts';
import { MODEL_NOT_FOUND, errorOfFault } from '../domain/examine-request.ts';
import { principalOf, type Exchange } from './exchange.ts';
import type { RequestPipeline } from './request-pipeline.ts';

export interface ModelsRoutesOptions {
  readonly pipeline: RequestPipeline;
  readonly directory: CatalogDirectory;
  readonly wallClock: () => number;
}

/** Reading models. Both give the body of the reply. */
export interface ModelsRoutes {
  list(exchange: Exchange): Promise<string>;
  retrieve(exchange: Exchange): Promise<string>;
}

export function createModelsRoutes({
  pipeline,
  directory,
  wallClock,
}: ModelsRoutesOptions): ModelsRoutes {
  const shelfOf = (exchange: Exchange) =>
    directory.models(principalOf(exchange).organization, {
      requestId: exchange.id,
      trace: exchange.span,
    });
  return {
    list: (exchange) =>
      pipeline.admit(exchange, async () => {
        const shelf = await shelfOf(exchange);
        return { tokens: 0, value: shelf.listBody(wallClock()) };
      }),
    retrieve: (exchange) =>
      pipeline.admit(exchange, async () => {
        const { route } = exchange;
        const id = route.name === 'model' ? route.model : undefined;
        const shelf = await shelfOf(exchange);
        const model = id === undefined ? undefined : shelf.find(id, wallClock());
        if (model === undefined) throw errorOfFault(MODEL_NOT_FOUND);
        exchange.modelId = model.id;
        return { tokens: 0, value: JSON.stringify(toWireModel(model)) };
      }),
  };
}
