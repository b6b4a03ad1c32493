import { toWireModel } from '@sluice/contracts';
import type { CatalogDirectory } from '../access/catalog-directory.ts';
import { MODEL_NOT_FOUND } from '../access/model-faults.ts';
import type { Charge } from '../admission/charge.ts';
import { principalOf, type RequestContext } from '../edge/request-context.ts';
import { errorOfFault } from '../request/examine-request.ts';

export interface ModelsRoutesOptions {
  readonly charge: Charge;
  readonly directory: CatalogDirectory;
  readonly wallClock: () => number;
}

/** Each method returns the body of the reply. */
export interface ModelsRoutes {
  list(context: RequestContext): Promise<string>;
  retrieve(context: RequestContext, id: string): Promise<string>;
}

export function createModelsRoutes(options: ModelsRoutesOptions): ModelsRoutes {
  const { charge, directory, wallClock } = options;
  const modelsOf = (context: RequestContext) =>
    directory.models(principalOf(context).organization, {
      requestId: context.id,
      trace: context.span,
    });
  return {
    async list(context) {
      const models = await modelsOf(context);
      const body = models.listBody(wallClock());
      await charge(context, 0);
      return body;
    },
    async retrieve(context, id) {
      const models = await modelsOf(context);
      const model = models.find(id, wallClock());
      if (model === undefined) throw errorOfFault(MODEL_NOT_FOUND);
      context.modelId = model.id;
      await charge(context, 0);
      return JSON.stringify(toWireModel(model));
    },
  };
}
