import * as z from 'zod';

/** Every whole number from `lowest` to `highest` is a class. A metric has at most 16 values of `class`. */
export const SCHEDULING_CLASSES = { lowest: -8, default: 0, highest: 7 } as const;
export const DEFAULT_WEIGHT = 1;

const WEIGHTS = { least: 0.01, most: 1_000 } as const;
/** The largest number of slots that a worker may have. */
const MAX_SLOTS_PER_WORKER = 4_096;

/** The fields of plans and organizations that decide how workers share their slots. */
export const SchedulingFields = {
  weight: z
    .number()
    .min(WEIGHTS.least, `must be a number from ${WEIGHTS.least} to ${WEIGHTS.most}`)
    .max(WEIGHTS.most, `must be a number from ${WEIGHTS.least} to ${WEIGHTS.most}`),
  schedulingClass: z
    .int('must be a whole number')
    .min(SCHEDULING_CLASSES.lowest, classRange())
    .max(SCHEDULING_CLASSES.highest, classRange()),
  slotsPerWorker: z
    .int('must be a whole number')
    .min(1, `must be null or from 1 to ${MAX_SLOTS_PER_WORKER}`)
    .max(MAX_SLOTS_PER_WORKER, `must be null or from 1 to ${MAX_SLOTS_PER_WORKER}`)
    .nullable(),
} as const;

function classRange(): string {
  return `must be from ${SCHEDULING_CLASSES.lowest} to ${SCHEDULING_CLASSES.highest}`;
}

/**
 * How workers schedule an organization. A field with the default value is absent, in memory and on the wire, so that it
 * costs nothing where it is not used.
 */
export interface Scheduling {
  readonly weight?: number;
  readonly scheduling_class?: number;
  readonly slots_per_worker?: number;
}

type SchedulingValues = { readonly [Field in keyof Scheduling]?: Scheduling[Field] | undefined };

/** Leaves out the fields that have their default value. */
export function schedulingOf(values: SchedulingValues): Scheduling {
  const { weight, scheduling_class, slots_per_worker } = values;
  return {
    ...(weight !== undefined && weight !== DEFAULT_WEIGHT && { weight }),
    ...(scheduling_class !== undefined &&
      scheduling_class !== SCHEDULING_CLASSES.default && { scheduling_class }),
    ...(slots_per_worker !== undefined && { slots_per_worker }),
  };
}
