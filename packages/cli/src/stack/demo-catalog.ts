import { isDeepStrictEqual } from 'node:util';
import {
  CatalogModel,
  RESOURCE_KINDS,
  ResourceSchemas,
  type ResourceKind,
  type ResourceOf,
} from '@sluice/contracts';
import { RpcError, type CatalogAdminClient } from '@sluice/rpc';
import { createResource, findResource, listResources } from '../catalog/resources.ts';
import { currentPosition } from './catalog-position.ts';
import type { RuntimeModel } from './runtime-models.ts';
import { readSeededModels, recordSeededModels } from './seeded-models.ts';
import type { StateFolder } from './state-folder.ts';

/** The one name of everything a first run is given: plan, account, organization and project. */
const DEMO = 'demo';
export const DEMO_POOL = 'default';
const KEY_NAME = 'sluice up';
/** Keys of earlier starts go on working, so that a script written yesterday does; but not for ever. */
const KEPT_KEYS = 5;

type DemoResources = {
  readonly [Kind in Exclude<ResourceKind, 'models' | 'api_keys'>]: ResourceOf<Kind>;
};

const RESOURCES: DemoResources = {
  plans: ResourceSchemas.plans.parse({
    id: DEMO,
    limits: { requests_per_minute: 100_000, tokens_per_minute: 100_000_000 },
  }),
  accounts: ResourceSchemas.accounts.parse({ id: DEMO, access: 'granted', onboarding: 'complete' }),
  organizations: ResourceSchemas.organizations.parse({
    id: DEMO,
    plan: DEMO,
    members: [{ account: DEMO, active: true }],
  }),
  projects: ResourceSchemas.projects.parse({ id: DEMO, organization: DEMO }),
};

const EFFORTS = {
  supported_efforts: ['low', 'medium', 'high'],
  default_effort: 'medium',
  mandatory: true,
};

/** Coding agents send `max_tokens` of 32,000 and 64,000 with every request, and give up when that is refused. */
const SIMULATED_MODEL = { owned_by: 'sluice', max_output_tokens: 65_536 };

/** What is said of the stand-in runtime's models beyond what a runtime says of itself. */
const SIMULATED: Readonly<Record<string, object>> = {
  'sluice-demo': { ...SIMULATED_MODEL, reasoning: EFFORTS },
  'sluice-small': SIMULATED_MODEL,
  'sluice-strict': {
    ...SIMULATED_MODEL,
    reasoning: EFFORTS,
    reasoning_history: 'required',
  },
};

export interface DemoContent {
  /** Those that the runtimes serve. */
  readonly models: readonly RuntimeModel[];
  /**
   * Where it is remembered which models starts have made; undefined for a catalog on a NATS of somebody else, where
   * other stacks may serve them too.
   */
  readonly folder: StateFolder | undefined;
}

/**
 * Fills an empty catalog for a first run. What is there already is an operator's and stays as it is; but for models
 * of earlier starts whose runtime is not there now.
 */
export async function seedDemoCatalog(
  admin: CatalogAdminClient,
  { models, folder }: DemoContent,
): Promise<void> {
  for (const kind of RESOURCE_KINDS) {
    if (kind === 'models') {
      if (folder !== undefined) await replaceSeeded(admin, models, folder);
      for (const model of models) await createMissing(admin, 'models', describeModel(model));
    } else if (kind !== 'api_keys') await createMissing(admin, kind, RESOURCES[kind]);
  }
}

/**
 * Whether the next start would make it again, so that deleting it would be in vain: of models those that the stack's
 * runtimes serve, unless an operator has changed them.
 */
export function isDemoEntry(
  kind: ResourceKind,
  document: { readonly id: string },
  served: readonly string[],
): boolean {
  if (kind !== 'models') return document.id === DEMO;
  return served.includes(document.id) && isUntouched(document);
}

/** A key shown once. Older ones of the same making are removed, the oldest first. */
export async function createDemoKey(admin: CatalogAdminClient): Promise<string> {
  const { key } = await admin.createApiKey({ project: DEMO, name: KEY_NAME, creator: DEMO });
  const mine = (await listResources(admin, 'api_keys', { project: DEMO }))
    .filter(({ document }) => document.name === KEY_NAME)
    .toSorted((one, other) => other.document.created_at_ms - one.document.created_at_ms);
  for (const { id } of mine.slice(KEPT_KEYS)) await admin.deleteResource({ kind: 'api_keys', id });
  return key;
}

/** Deletes models of earlier starts whose runtime is not there now, and remembers which are ours from now on. */
async function replaceSeeded(
  admin: CatalogAdminClient,
  models: readonly RuntimeModel[],
  folder: StateFolder,
): Promise<void> {
  const { epoch } = await currentPosition(admin);
  const seeded = await readSeededModels(folder, epoch);
  const held = await listResources(admin, 'models');
  const served = new Set(models.map(({ id }) => id));
  // One that an operator has changed since is the operator's from then on, as one of the same shape always was.
  const ours = held.filter(({ id, document }) => seeded.has(id) && isUntouched(document));
  for (const { id } of ours.filter((model) => !served.has(model.id))) {
    await admin.deleteResource({ kind: 'models', id });
  }
  const present = new Set(held.map(({ id }) => id));
  const missing = models.filter(({ id }) => !present.has(id));
  const kept = ours.filter(({ id }) => served.has(id));
  // Before they are made, so that those of a start that is cut short are known too.
  await recordSeededModels(
    folder,
    epoch,
    [...kept, ...missing].map(({ id }) => id),
  );
}

function isUntouched(document: { readonly id: string }): boolean {
  const { id, context_length: contextLength } = CatalogModel.parse(document);
  return isDeepStrictEqual(document, describeModel({ id, contextLength }));
}

function describeModel({ id, contextLength }: RuntimeModel): CatalogModel {
  return CatalogModel.parse({
    id,
    owned_by: 'local',
    ...(contextLength === undefined ? {} : { context_length: contextLength }),
    pool: DEMO_POOL,
    runtime_model: id,
    ...SIMULATED[id],
  });
}

async function createMissing<Kind extends ResourceKind>(
  admin: CatalogAdminClient,
  kind: Kind,
  document: ResourceOf<Kind>,
): Promise<void> {
  if ((await findResource(admin, kind, document.id)) !== undefined) return;
  try {
    await createResource(admin, kind, document);
  } catch (error) {
    if (!(error instanceof RpcError) || error.code !== 'already_exists') throw error;
  }
}
