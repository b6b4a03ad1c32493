import { busSettings, checkBusSettings } from '@sluice/bus';
import { SubjectPrefix } from '@sluice/contracts';
import {
  RuntimeApiKey,
  RuntimeUrl,
  booleanSetting,
  checkProcessSettings,
  integerSetting,
  processSettings,
  readConfiguration,
  type Environment,
} from '@sluice/service';
import * as z from 'zod';
import { RUNTIME_KINDS } from './dialects/dialect.ts';

/** A name that people type. */
const label = z
  .string()
  .max(253)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'must be letters, digits, dots, - and _');

/** A name that is valid as one token of a NATS subject. */
const subjectToken = z.string().regex(/^[A-Za-z0-9_-]+$/, 'must be letters, digits, - and _');

const PublisherAddress = z
  .string()
  .regex(/^tcp:\/\/[^\s/:@]+:\d{1,5}$/, 'must be an address such as tcp://127.0.0.1:5557');

const WorkerSettings = z.object({
  ...processSettings,
  ...busSettings,
  SUBJECT_PREFIX: SubjectPrefix,
  RUNTIME_URL: RuntimeUrl,
  RUNTIME_KIND: z.enum(['auto', ...RUNTIME_KINDS]).default('auto'),
  RUNTIME_API_KEY: RuntimeApiKey.optional(),
  POOL: subjectToken.default('default'),
  /** A name of the worker for people. Default: the name of the host, which in Kubernetes is the name of the pod. */
  WORKER_NAME: label.optional(),
  /** The name of the machine. Default: the name of the host, which in a container may be another one. */
  WORKER_HOST: label.optional(),
  /**
   * Maximum number of jobs that run at once. Default: 64, or the number of slots of a llama.cpp server if that is
   * lower.
   */
  SLOTS: integerSetting(1, 4_096).optional(),
  /**
   * Whether other clients use the runtime too. If they do, each of their generations takes one slot away, but one slot
   * always remains. The runtime's metrics show how many generations there are.
   */
  RUNTIME_SHARED: booleanSetting().default(false),
  /** Maximum number of jobs that wait for a slot. */
  QUEUE_LIMIT: integerSetting(0, 100_000).default(128),
  /** How many percent of the tokens a scheduling class gets at least, even while jobs of higher classes wait. */
  LOWER_CLASS_PERCENT: integerSetting(0, 50).default(5),
  /** Whether the runtime gets the scheduling class of each job as its priority. */
  RUNTIME_PRIORITIES: booleanSetting().default(false),
  /** Where vLLM publishes the events of its prefix cache. */
  RUNTIME_KV_EVENTS: PublisherAddress.optional(),
  /** Whether organizations may share one prefix cache on runtimes that cannot separate caches. */
  SHARED_PREFIX_CACHE: booleanSetting().default(false),
  /** Maximum time to the first token of the runtime. */
  FIRST_WORD_TIMEOUT_MS: integerSetting(100, 3_600_000).default(120_000),
  /** Maximum time between two tokens of the runtime. */
  STALL_TIMEOUT_MS: integerSetting(100, 3_600_000).default(30_000),
  /** How long running jobs may take to finish after the worker received a stop signal. */
  DRAIN_TIMEOUT_MS: integerSetting(0, 3_600_000).default(120_000),
});

export const SETTING_NAMES = Object.keys(WorkerSettings.shape);

export type WorkerSettings = z.infer<typeof WorkerSettings>;

export function readWorkerSettings(environment: Environment): WorkerSettings {
  const schema = WorkerSettings.superRefine(checkProcessSettings).superRefine(checkBusSettings);
  return readConfiguration(schema, environment);
}
