import { isDeepStrictEqual } from 'node:util';
import {
  CatalogModel,
  RESOURCE_KINDS,
  ResourceSchemas,
  type ResourceKind,
  type ResourceOf,
} from '@sluice/contracts';
import { RpcError, type CatalogAdminClient } from '@sluice/rpc';
import {
  createResource,
  findResource,
  listResources,
  updateResource,
} from '../catalog/resources.ts';
import { currentPosition } from './catalog-position.ts';
import type { RuntimeModel } from './runtime-models.ts';
import { readSeededModels, recordSeededModels } from './seeded-models.ts';
import type { StateFolder } from './state-folder.ts';

/** The id of the plan, account, organization and project that the first start creates. */
export const DEMO = 'demo';
export const DEMO_POOL = 'default';

type DemoResources = {
  readonly [Kind in Exclude<ResourceKind, 'models' | 'api_keys'>]: ResourceOf<Kind>;
};

const RESOURCES: DemoResources = {
  plans: ResourceSchemas.plans.parse({
    id: DEMO,
    limits: { requests_per_minute: 100_000, tokens_per_minute: 100_000_000 },
  }),
  accounts: ResourceSchemas.accounts.parse({
    id: DEMO,
    access: 'granted',
    onboarding: 'complete',
    operator: true,
  }),
  organizations: ResourceSchemas.organizations.parse({
    id: DEMO,
    plan: DEMO,
    members: [{ account: DEMO, active: true, role: 'owner' }],
    budget: { monthly: '1000000' },
  }),
  projects: ResourceSchemas.projects.parse({ id: DEMO, organization: DEMO }),
};

const EFFORTS = {
  supported_efforts: ['low', 'medium', 'high'],
  default_effort: 'medium',
  mandatory: true,
};

/** Coding agents send `max_tokens` of 32,000 and 64,000 with every request, and fail if it is refused. */
const SIMULATED_MODEL = { owned_by: 'sluice', max_output_tokens: 65_536 };
/** These prices are made up, so that `sluice usage` and `sluice budgets` show what an operator would see. */
const LARGE_PRICE = [{ input: '0.6', cached_input: '0.06', output: '2.4' }];
const SMALL_PRICE = [{ input: '0.1', cached_input: '0.01', output: '0.4' }];

/** Catalog fields of the simulator models that a runtime does not announce. */
const SIMULATED: Readonly<Record<string, object>> = {
  'sluice-demo': { ...SIMULATED_MODEL, reasoning: EFFORTS, prices: LARGE_PRICE },
  'sluice-small': { ...SIMULATED_MODEL, prices: SMALL_PRICE },
  'sluice-strict': {
    ...SIMULATED_MODEL,
    reasoning: EFFORTS,
    prices: LARGE_PRICE,
    reasoning_history: 'required',
  },
};

export interface DemoContent {
  /** The models that the runtimes serve. */
  readonly models: readonly RuntimeModel[];
  /**
   * The folder that records which models the starts created. Undefined for an external NATS: other stacks may serve the
   * models in its catalog.
   */
  readonly folder: StateFolder | undefined;
}

/**
 * Creates the missing demo resources. Existing resources belong to an operator and stay, except for models of earlier
 * starts that no runtime serves now.
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
  try {
    await appointDemoOwner(admin);
  } catch (error) {
    // Another start does the same at this moment.
    if (!(error instanceof RpcError) || error.code !== 'conflict') throw error;
  }
}

/**
 * Makes the demo account an owner. Versions without a web console created it without a role. A role that an operator has
 * given it stays.
 */
async function appointDemoOwner(admin: CatalogAdminClient): Promise<void> {
  const account = await findResource(admin, 'accounts', DEMO);
  if (account !== undefined && account.document.operator === undefined) {
    await updateResource(admin, 'accounts', {
      ...account,
      document: { ...account.document, operator: true },
    });
  }
  const organization = await findResource(admin, 'organizations', DEMO);
  const members = organization?.document.members ?? [];
  const isDemoWithoutRole = (member: (typeof members)[number]) =>
    member.account === DEMO && member.role === undefined;
  if (organization === undefined || !members.some(isDemoWithoutRole)) return;
  await updateResource(admin, 'organizations', {
    ...organization,
    document: {
      ...organization.document,
      members: members.map((member) =>
        isDemoWithoutRole(member) ? { ...member, role: 'owner' } : member,
      ),
    },
  });
}

/**
 * Whether the next start would create the resource again, so that deleting it has no lasting effect. This applies to
 * models only if a runtime of the stack serves them and no operator has changed them.
 */
export function isDemoEntry(
  kind: ResourceKind,
  document: { readonly id: string },
  served: readonly string[],
): boolean {
  if (kind !== 'models') return document.id === DEMO;
  return served.includes(document.id) && isUntouched(document);
}

/** A link that signs in to the console as the owner of the demo organization, once. */
export async function createDemoLink(
  admin: CatalogAdminClient,
  consoleUrl: string,
): Promise<string> {
  const { token } = await admin.createSignInLink({ account: DEMO });
  return `${consoleUrl}/sign-in/link?token=${token}`;
}

/** Deletes models of earlier starts that no runtime serves now, and records the models of this start. */
async function replaceSeeded(
  admin: CatalogAdminClient,
  models: readonly RuntimeModel[],
  folder: StateFolder,
): Promise<void> {
  const { epoch } = await currentPosition(admin);
  const seeded = await readSeededModels(folder, epoch);
  const held = await listResources(admin, 'models');
  const served = new Set(models.map(({ id }) => id));
  // A model is managed by the starts if one of them created it and it is unchanged. A model that an operator has
  // changed belongs to the operator from then on.
  const ours = held.filter(({ id, document }) => seeded.has(id) && isUntouched(document));
  for (const { id } of ours.filter((model) => !served.has(model.id))) {
    await admin.deleteResource({ kind: 'models', id });
  }
  const present = new Set(held.map(({ id }) => id));
  const missing = models.filter(({ id }) => !present.has(id));
  const kept = ours.filter(({ id }) => served.has(id));
  // Recorded before the models are created, so that models of an interrupted start are known too.
  await recordSeededModels(
    folder,
    epoch,
    [...kept, ...missing].map(({ id }) => id),
  );
}

function isUntouched(document: { readonly id: string }): boolean {
  const { id, context_length: contextLength } = CatalogModel.parse(document);
  const described = describeModel({ id, contextLength });
  if (isDeepStrictEqual(document, described)) return true;
  // Version 0.2.0 created it without prices.
  const { prices: _prices, ...unpriced } = described;
  return isDeepStrictEqual(document, unpriced);
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
