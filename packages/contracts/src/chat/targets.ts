import * as z from 'zod';

/** A pool of workers. Part of a subject on the bus. */
export const PoolName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -');

/** A request may be offered to workers of every target, so their number is small. */
const MAX_TARGETS = 8;
const MAX_WEIGHT = 1_000_000;

const Target = z
  .strictObject({
    name: PoolName.optional().describe(
      'The name of the target in metrics and in the ledger. By default the name of its pool.',
    ),
    pool: PoolName.describe('The pool of workers that serve the target.'),
    runtime_model: z.string().min(1).describe("The runtime's own name of the model."),
    weight: z
      .number()
      .min(0)
      .max(MAX_WEIGHT)
      .describe(
        'Its share of the conversations, relative to the sum of all weights. 0 drains the target.',
      ),
    context_length: z.int().min(1).optional().describe('What its runtime supports, if known.'),
    max_output_tokens: z.int().min(1).optional().describe('What its runtime supports, if known.'),
    supported_efforts: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe('What its runtime supports, if known.'),
  })
  .transform((target) => ({ ...target, name: target.name ?? target.pool }));

/** One of the runtimes that serve a model: a pool of workers, and the name that the model has there. */
export type ModelTarget = z.infer<typeof Target>;

export const Targets = z.array(Target).min(1).max(MAX_TARGETS);

export interface TargetFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The limits that a model announces to its clients. Each of its targets must support them. */
interface AnnouncedLimits {
  readonly context_length?: number | undefined;
  readonly max_output_tokens?: number | undefined;
  readonly reasoning?: { readonly supported_efforts: readonly string[] } | undefined;
}

/** Where targets contradict each other, or what the model announces. Empty if there are no faults. */
export function targetFaults(
  targets: readonly ModelTarget[],
  announced: AnnouncedLimits,
): TargetFault[] {
  const faults: TargetFault[] = [];
  if (targets.every(({ weight }) => weight === 0)) {
    faults.push({ path: [], message: 'at least one target needs a weight above 0' });
  }
  for (const [index, target] of targets.entries()) {
    const earlier = targets.slice(0, index);
    if (earlier.some((other) => isSameRuntime(other, target))) {
      const message = `pool ${target.pool} with ${target.runtime_model} is listed twice`;
      faults.push({ path: [index], message });
    } else if (earlier.some(({ name }) => name === target.name)) {
      const message = `another target is named ${target.name}: give this one a name of its own`;
      faults.push({ path: [index, 'name'], message });
    }
    for (const { path, message } of limitFaults(target, announced)) {
      faults.push({ path: [index, ...path], message });
    }
  }
  return faults;
}

/** Only limits that are known of the target can be checked. */
function limitFaults(target: ModelTarget, announced: AnnouncedLimits): TargetFault[] {
  const faults: TargetFault[] = [];
  for (const limit of ['context_length', 'max_output_tokens'] as const) {
    const supported = target[limit];
    const promised = announced[limit];
    if (supported === undefined || promised === undefined || supported >= promised) continue;
    const message = `${supported} is less than the ${promised} that the model announces`;
    faults.push({ path: [limit], message });
  }
  const efforts = target.supported_efforts;
  const lacking = announced.reasoning?.supported_efforts.filter(
    (effort) => efforts?.includes(effort) === false,
  );
  if (lacking !== undefined && lacking.length > 0) {
    const message = `lacks ${lacking.join(', ')}, which the model announces`;
    faults.push({ path: ['supported_efforts'], message });
  }
  return faults;
}

/**
 * The target with the largest weight. If several have it, it is the first of them. Version 0.2.0 knows only one pool of
 * a model, and uses this one.
 */
export function heaviestTarget<Target extends { readonly weight: number }>(
  targets: readonly Target[],
): Target | undefined {
  let heaviest: Target | undefined;
  for (const target of targets) {
    if (heaviest === undefined || target.weight > heaviest.weight) heaviest = target;
  }
  return heaviest;
}

type Runtime = Pick<ModelTarget, 'pool' | 'runtime_model'>;

export function isSameRuntime(one: Runtime, other: Runtime): boolean {
  return one.pool === other.pool && one.runtime_model === other.runtime_model;
}
