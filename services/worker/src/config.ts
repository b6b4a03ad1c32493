import { busSettings, checkBusSettings } from '@sluice/bus';
import { RuntimeApiKey, RuntimeUrl, SubjectPrefix } from '@sluice/contracts';
import {
  booleanSetting,
  checkProcessSettings,
  integerSetting,
  processSettings,
  readConfiguration,
  type Environment,
} from '@sluice/host';
import * as z from 'zod';
import { RUNTIME_KINDS } from './dialect/dialect.ts';

/** A name that can stand in a subject. */
const subjectToken = z.string().regex(/^[A-Za-z0-9_-]+$/, 'must be letters, digits, - and _');

const WorkerSettings = z.object({
  ...processSettings,
  ...busSettings,
  SUBJECT_PREFIX: SubjectPrefix,
  RUNTIME_URL: RuntimeUrl,
  RUNTIME_KIND: z.enum(['auto', ...RUNTIME_KINDS]).default('auto'),
  RUNTIME_API_KEY: RuntimeApiKey.optional(),
  POOL: subjectToken.default('default'),
  /** Jobs on the runtime at once. Where it is not set, 64, or as many as llama.cpp has, if fewer. */
  SLOTS: integerSetting(1, 4_096).optional(),
  /**
   * Whether others use the runtime too. Their generations, as its page of metrics tells of them, then take slots of
   * ours away; one is always left.
   */
  RUNTIME_SHARED: booleanSetting().default(false),
  /** Jobs that wait for a slot. */
  QUEUE_LIMIT: integerSetting(0, 100_000).default(128),
  /** Whether prompts of all organizations may share one prefix cache, on runtimes that cannot keep them apart. */
  SHARED_PREFIX_CACHE: booleanSetting().default(false),
  /** Longest wait for a runtime's first word, and then for each next one. */
  FIRST_WORD_TIMEOUT_MS: integerSetting(100, 3_600_000).default(120_000),
  STALL_TIMEOUT_MS: integerSetting(100, 3_600_000).default(30_000),
  /** How long running jobs may take to finish after the worker was told to stop. */
  DRAIN_TIMEOUT_MS: integerSetting(0, 3_600_000).default(120_000),
});

export const SETTING_NAMES = Object.keys(WorkerSettings.shape);

export type WorkerSettings = z.infer<typeof WorkerSettings>;

export function readWorkerSettings(environment: Environment): WorkerSettings {
  const schema = WorkerSettings.superRefine(checkProcessSettings).superRefine(checkBusSettings);
  return readConfiguration(schema, environment);
}
