import * as z from 'zod';
import { Prices } from '../prices.ts';
import {
  PoolName,
  Targets,
  heaviestTarget,
  isSameRuntime,
  targetFaults,
  type ModelTarget,
} from './targets.ts';

const Effort = z.string().min(1).max(64);

const Reasoning = z.strictObject({
  supported_efforts: z.array(Effort).min(1),
  /** The effort for a request that names none. If it is not set, the model uses its own default. */
  default_effort: Effort.optional(),
  /** True if reasoning cannot be turned off. */
  mandatory: z.boolean(),
});

const wireFields = {
  id: z.string().min(1),
  object: z.literal('model'),
  /** Unix seconds. 0 if the time of publication is not announced. */
  created: z.int().min(0),
  owned_by: z.string(),
  /** The model is removed at 00:00 UTC of this day. */
  shutdown_date: z.iso.date().nullable(),
  context_length: z.int().min(1).optional(),
  max_output_tokens: z.int().min(1).optional(),
  default_parameters: z.strictObject({ max_tokens: z.int().min(1).optional() }).optional(),
  reasoning: Reasoning.optional(),
};

/** The public fields of a model, which clients see. */
export const Model = z.strictObject(wireFields);
export type Model = z.infer<typeof Model>;

export const ModelList = z.strictObject({ object: z.literal('list'), data: z.array(Model) });
export type ModelList = z.infer<typeof ModelList>;

export const ModelId = z
  .string()
  .regex(
    /^[^\s\p{Cc}\p{Cs}]{1,256}$/u,
    'must be 1 to 256 characters without spaces or control characters',
  );

const EnteredModel = z.strictObject({
  ...wireFields,
  id: ModelId,
  object: wireFields.object.default('model'),
  created: wireFields.created.default(0),
  shutdown_date: wireFields.shutdown_date.default(null),
  reasoning: z
    .strictObject({ ...Reasoning.shape, mandatory: z.boolean().default(false) })
    .optional(),
  pool: PoolName.optional().describe('The pool of workers that serve the model.'),
  runtime_model: z.string().min(1).optional().describe("The runtime's own name of the model."),
  targets: Targets.optional().describe(
    'Several pools that serve the model, in place of pool and runtime_model.',
  ),
  reasoning_history: z.enum(['required', 'optional']).default('optional'),
  /** Tokens per byte of prompt, for the estimate that admission charges. */
  input_token_ratio: z.number().positive().max(16).default(0.25),
  /** Seconds that a request may wait for the first worker of a pool that has none. 0 or absent: it is refused at once. */
  wake_timeout: z.int().min(0).max(3_600).optional(),
  prices: Prices.optional().describe('What its tokens cost, the oldest price first.'),
});

/**
 * A model in the catalog, entered by an operator: the public fields and the internal ones. `pool` and `runtime_model`
 * are always set. If there are `targets`, they are those of the target with the largest weight, for readers of version
 * 0.2.0.
 */
export const CatalogModel = EnteredModel.transform((model, context) => {
  const { targets } = model;
  const fail = (path: (string | number)[], message: string) => {
    context.issues.push({ code: 'custom', path, message, input: model });
    return z.NEVER;
  };
  if (targets === undefined) {
    const { pool, runtime_model } = model;
    if (pool === undefined) return fail(['pool'], 'is missing, and there are no targets');
    if (runtime_model === undefined) return fail(['runtime_model'], 'is missing');
    return { ...model, pool, runtime_model };
  }
  for (const { path, message } of targetFaults(targets, model)) fail(['targets', ...path], message);
  if (!namesATarget(model, targets)) {
    fail(['pool'], 'leave out pool and runtime_model beside targets, or name one of the targets');
  }
  const heaviest = heaviestTarget(targets);
  if (heaviest === undefined || context.issues.length > 0) return z.NEVER;
  const { pool, runtime_model } = heaviest;
  return { ...model, pool, runtime_model };
});
export type CatalogModel = z.infer<typeof CatalogModel>;

/** Whether `pool` and `runtime_model`, as far as they are given, are those of one of the targets. */
function namesATarget(
  { pool, runtime_model }: z.infer<typeof EnteredModel>,
  targets: readonly ModelTarget[],
): boolean {
  return targets.some((target) =>
    isSameRuntime(target, {
      pool: pool ?? target.pool,
      runtime_model: runtime_model ?? target.runtime_model,
    }),
  );
}

/** Keeps only the public fields, in the order of the interface. */
export function toWireModel(model: CatalogModel): Model {
  const { context_length, max_output_tokens, default_parameters, reasoning } = model;
  return {
    id: model.id,
    object: model.object,
    created: model.created,
    owned_by: model.owned_by,
    shutdown_date: model.shutdown_date,
    ...(context_length !== undefined && { context_length }),
    ...(max_output_tokens !== undefined && { max_output_tokens }),
    ...(default_parameters !== undefined && { default_parameters }),
    ...(reasoning !== undefined && { reasoning }),
  };
}
