import * as z from 'zod';

const Effort = z.string().min(1).max(64);

const Reasoning = z.strictObject({
  supported_efforts: z.array(Effort).min(1),
  /** Applied when a request names none; left out, the model applies its own. */
  default_effort: Effort.optional(),
  /** True when no value turns reasoning off. */
  mandatory: z.boolean(),
});

const wireFields = {
  id: z.string().min(1),
  object: z.literal('model'),
  /** Unix seconds; 0 when the time of publication is not announced. */
  created: z.int().min(0),
  owned_by: z.string(),
  /** From 00:00 UTC of that day the model is gone. */
  shutdown_date: z.iso.date().nullable(),
  context_length: z.int().min(1).optional(),
  max_output_tokens: z.int().min(1).optional(),
  default_parameters: z.strictObject({ max_tokens: z.int().min(1).optional() }).optional(),
  reasoning: Reasoning.optional(),
};

/** A model as clients see it. */
export const Model = z.strictObject(wireFields);
export type Model = z.infer<typeof Model>;

export const ModelList = z.strictObject({ object: z.literal('list'), data: z.array(Model) });
export type ModelList = z.infer<typeof ModelList>;

/** A model as operators enter it: what clients see, and what only the services know. */
export const CatalogModel = z.strictObject({
  ...wireFields,
  id: z
    .string()
    .regex(
      /^[^\s\p{Cc}\p{Cs}]{1,256}$/u,
      'must be 1 to 256 characters without spaces or control characters',
    ),
  object: wireFields.object.default('model'),
  created: wireFields.created.default(0),
  shutdown_date: wireFields.shutdown_date.default(null),
  reasoning: z
    .strictObject({ ...Reasoning.shape, mandatory: z.boolean().default(false) })
    .optional(),
  /** The workers that serve it. Part of a subject on the bus. */
  pool: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -'),
  /** The runtime's own name for it. */
  runtime_model: z.string().min(1),
  reasoning_history: z.enum(['required', 'optional']).default('optional'),
  /** Tokens per byte of prompt, for the estimate that admission charges. */
  input_token_ratio: z.number().positive().max(16).default(0.25),
});
export type CatalogModel = z.infer<typeof CatalogModel>;

/** Leaves out what clients do not see, and keeps the order of the interface. */
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
