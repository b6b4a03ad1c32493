import {
  schedulingOf,
  type CatalogModel,
  type Limits,
  type ModelTarget,
  type Scheduling,
} from '@sluice/contracts';
import type { Model, ModelInput } from './generated/sluice/catalog/v1/Model.ts';
import type {
  ModelTarget as TargetMessage,
  ModelTargetInput,
} from './generated/sluice/catalog/v1/ModelTarget.ts';
import { catalogProtos } from './protos.ts';

/** Encodes models for a reply that is sent to many clients. Equal models give equal bytes. */
export function encodeModels(models: readonly CatalogModel[]): Buffer {
  return catalogProtos().Catalog.service.ListModels.responseSerialize({
    models: models.map(modelToMessage),
  });
}

export function decodeModels(encoded: Buffer): CatalogModel[] {
  const { models } = catalogProtos().Catalog.service.ListModels.responseDeserialize(encoded);
  return models.map(modelFromMessage);
}

/** A model as the catalog's contract carries it. Optional fields of the model are absent in both. */
function modelToMessage(model: CatalogModel): ModelInput {
  const { shutdown_date, context_length, max_output_tokens, default_parameters, reasoning } = model;
  const { wake_timeout } = model;
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
    ...(wake_timeout !== undefined && { wakeTimeout: wake_timeout }),
    ...(model.targets !== undefined && { targets: model.targets.map(targetToMessage) }),
  };
}

function targetToMessage(target: ModelTarget): ModelTargetInput {
  const { name, pool, runtime_model, weight } = target;
  const { context_length, max_output_tokens, supported_efforts } = target;
  return {
    name,
    pool,
    runtimeModel: runtime_model,
    weight,
    ...(context_length !== undefined && { contextLength: context_length }),
    ...(max_output_tokens !== undefined && { maxOutputTokens: max_output_tokens }),
    ...(supported_efforts !== undefined && { supportedEfforts: supported_efforts }),
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

function modelFromMessage(message: Model): CatalogModel {
  const { contextLength, maxOutputTokens, defaultMaxTokens, reasoning } = message;
  const { wakeTimeout, targets } = message;
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
    ...(targets.length > 0 && { targets: targets.map(targetFromMessage) }),
    reasoning_history: message.reasoningHistory === 'required' ? 'required' : 'optional',
    input_token_ratio: message.inputTokenRatio,
    ...(wakeTimeout !== undefined && { wake_timeout: wakeTimeout }),
  };
}

function targetFromMessage(message: TargetMessage): ModelTarget {
  const { name, pool, runtimeModel, weight } = message;
  const { contextLength, maxOutputTokens, supportedEfforts } = message;
  return {
    name,
    pool,
    runtime_model: runtimeModel,
    weight,
    ...(contextLength !== undefined && { context_length: contextLength }),
    ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
    ...(supportedEfforts.length > 0 && { supported_efforts: supportedEfforts }),
  };
}

/** The four limits as the contracts of catalog and quota carry them. An absent limit is unlimited. */
export interface LimitsMessage {
  requestsPerMinute?: number;
  requestsPerDay?: number;
  tokensPerMinute?: number;
  tokensPerDay?: number;
}

export function limitsToMessage(limits: Limits): LimitsMessage {
  const message: LimitsMessage = {};
  if (limits.requests_per_minute !== null) message.requestsPerMinute = limits.requests_per_minute;
  if (limits.requests_per_day !== null) message.requestsPerDay = limits.requests_per_day;
  if (limits.tokens_per_minute !== null) message.tokensPerMinute = limits.tokens_per_minute;
  if (limits.tokens_per_day !== null) message.tokensPerDay = limits.tokens_per_day;
  return message;
}

export function limitsFromMessage(message: Readonly<LimitsMessage>): Limits {
  return {
    requests_per_minute: message.requestsPerMinute ?? null,
    requests_per_day: message.requestsPerDay ?? null,
    tokens_per_minute: message.tokensPerMinute ?? null,
    tokens_per_day: message.tokensPerDay ?? null,
  };
}

/** How workers schedule an organization, as the catalog's contract carries it. Default values are absent in both. */
interface SchedulingMessage {
  weight?: number;
  schedulingClass?: number;
  slotsPerWorker?: number;
}

export function schedulingToMessage({
  weight,
  scheduling_class: schedulingClass,
  slots_per_worker: slotsPerWorker,
}: Scheduling): SchedulingMessage {
  return {
    ...(weight !== undefined && { weight }),
    ...(schedulingClass !== undefined && { schedulingClass }),
    ...(slotsPerWorker !== undefined && { slotsPerWorker }),
  };
}

export function schedulingFromMessage(message: Readonly<SchedulingMessage>): Scheduling {
  const { weight, schedulingClass, slotsPerWorker } = message;
  return schedulingOf({
    weight,
    scheduling_class: schedulingClass,
    slots_per_worker: slotsPerWorker,
  });
}
