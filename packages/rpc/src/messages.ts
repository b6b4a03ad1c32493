import type { CatalogModel } from '@sluice/contracts';
import type { Model, ModelInput } from './generated/sluice/catalog/v1/Model.ts';
import { catalogProtos } from './protos.ts';

/** Models as a reply to many askers carries them. The same models are the same bytes. */
export function encodeModels(models: readonly CatalogModel[]): Buffer {
  return catalogProtos().Catalog.service.ListModels.responseSerialize({
    models: models.map(modelToMessage),
  });
}

export function decodeModels(encoded: Buffer): CatalogModel[] {
  const { models } = catalogProtos().Catalog.service.ListModels.responseDeserialize(encoded);
  return models.map(modelFromMessage);
}

/** A model as the catalog's contract carries it; what is not announced is absent in both. */
export function modelToMessage(model: CatalogModel): ModelInput {
  const { shutdown_date, context_length, max_output_tokens, default_parameters, reasoning } = model;
  const defaultMaxTokens = default_parameters?.max_tokens;
  return {
    id: model.id,
    created: model.created,
    ownedBy: model.owned_by,
    pool: model.pool,
    runtimeModel: model.runtime_model,
    reasoningHistory: model.reasoning_history,
    inputTokenRatio: model.input_token_ratio,
    ...(shutdown_date !== null && { shutdownDate: shutdown_date }),
    ...(context_length !== undefined && { contextLength: context_length }),
    ...(max_output_tokens !== undefined && { maxOutputTokens: max_output_tokens }),
    ...(defaultMaxTokens !== undefined && { defaultMaxTokens }),
    ...(reasoning !== undefined && { reasoning: reasoningToMessage(reasoning) }),
  };
}

function reasoningToMessage({
  supported_efforts,
  default_effort,
  mandatory,
}: NonNullable<CatalogModel['reasoning']>) {
  return {
    supportedEfforts: supported_efforts,
    mandatory,
    ...(default_effort !== undefined && { defaultEffort: default_effort }),
  };
}

export function modelFromMessage(message: Model): CatalogModel {
  const { contextLength, maxOutputTokens, defaultMaxTokens, reasoning } = message;
  return {
    id: message.id,
    object: 'model',
    created: message.created,
    owned_by: message.ownedBy,
    shutdown_date: message.shutdownDate ?? null,
    ...(contextLength !== undefined && { context_length: contextLength }),
    ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
    ...(defaultMaxTokens !== undefined && { default_parameters: { max_tokens: defaultMaxTokens } }),
    ...(reasoning !== null && {
      reasoning: {
        supported_efforts: reasoning.supportedEfforts,
        ...(reasoning.defaultEffort !== undefined && { default_effort: reasoning.defaultEffort }),
        mandatory: reasoning.mandatory ?? false,
      },
    }),
    pool: message.pool,
    runtime_model: message.runtimeModel,
    reasoning_history: message.reasoningHistory === 'required' ? 'required' : 'optional',
    input_token_ratio: message.inputTokenRatio,
  };
}
