import { setTimeout as delay } from 'node:timers/promises';
import { connectBus, openOutcomeLedger, type Bus } from '@sluice/bus';
import {
  DEFAULT_SUBJECT_PREFIX,
  ResourceSchemas,
  apiKeyDigest,
  subjectsUnder,
  type RequestRecord,
  type ResourceKind,
} from '@sluice/contracts';
import { connectCatalogAdmin, connectUsage, type CatalogAdminClient } from '@sluice/rpc';
import { createLogger } from '@sluice/service';
import { fillCatalog } from '../catalog/fill-catalog.ts';
import { keyId } from '../catalog/key-digests.ts';
import type { SluiceStack } from '../programs/sluice-stack.ts';

export interface ConsoleContent {
  readonly keys: number;
  readonly organizations: number;
  readonly requests: number;
}

/** The plan, account, organization and project that the first start of a stack creates. */
const DEMO = 'demo';
const CREATED_AT_ONCE = 16;
const DAYS = 6;
const DAY_MS = 86_400_000;
const COUNTED_WITHIN_MS = 120_000;
const POLL_MS = 200;

/** Fills a stack: organizations with an account and a project each, keys of the demo, and requests with these keys. */
export async function fillConsole(
  stack: SluiceStack,
  { keys, organizations, requests }: ConsoleContent,
): Promise<void> {
  await using admin = connectCatalogAdmin({ address: stack.adminAddress, token: stack.adminToken });
  await admin.ready();
  await createOrganizations(admin, organizations);
  const { id, key } = await admin.createApiKey({ project: DEMO, name: 'Program', creator: DEMO });
  const sha256 = apiKeyDigest(key).toString('hex');
  await fillCatalog(stack.natsUrl, { id, sha256, lastFour: key.slice(-4) }, keys - 1);
  const logger = createLogger({ service: 'bench', level: 'silent' });
  await using bus = await connectBus({ servers: [stack.natsUrl], name: 'bench', logger });
  await writeRequests(bus, requests, { keys, model: stack.models[0] ?? '' });
  await untilCounted(stack, requests);
}

async function createOrganizations(admin: CatalogAdminClient, count: number): Promise<void> {
  const create = (kind: ResourceKind, id: string, fields: object) =>
    admin.createResource({
      kind,
      id,
      document: JSON.stringify(ResourceSchemas[kind].parse({ id, ...fields })),
    });
  let next = 0;
  const creating = Array.from({ length: CREATED_AT_ONCE }, async () => {
    for (let number = next; number < count; number = next) {
      next += 1;
      const name = `bench-${String(number).padStart(5, '0')}`;
      await create('accounts', name, { access: 'granted', onboarding: 'complete' });
      await create('organizations', name, { plan: DEMO, members: [{ account: name }] });
      await create('projects', name, { organization: name });
    }
  });
  await Promise.all(creating);
}

async function writeRequests(
  bus: Bus,
  count: number,
  { keys, model }: { readonly keys: number; readonly model: string },
): Promise<void> {
  const { outcomes } = subjectsUnder(DEFAULT_SUBJECT_PREFIX);
  await using ledger = openOutcomeLedger<RequestRecord>({ bus, place: outcomes });
  const now = Date.now();
  for (let number = 0; number < count; number += 1) {
    ledger.record({
      kind: 'request',
      id: `bench-request-${number}`,
      gateway: 'bench',
      organization: DEMO,
      project: DEMO,
      credential: keyId(number % Math.max(1, keys - 1)),
      operation: 'completions',
      model,
      target: 'default',
      stream: true,
      outcome: 'completed',
      code: null,
      attempts: 1,
      refused_offers: 0,
      estimated_input_tokens: 400,
      delivered_tokens: 200,
      usage: { input_tokens: 400, cached_tokens: 100, output_tokens: 200, reasoning_tokens: 50 },
      received_at_ms: now - Math.floor((number * DAYS * DAY_MS) / count),
      first_token_ms: 180,
      duration_ms: 2_300,
    });
  }
  while (ledger.counts.pending > 0) await delay(POLL_MS);
  if (ledger.counts.lost > 0) throw new Error(`${ledger.counts.lost} records were lost`);
}

/** Usage opens its database only after the stack has become ready, and then reads the ledger. */
async function untilCounted(stack: SluiceStack, requests: number): Promise<void> {
  await using usage = connectUsage({ address: stack.usageAddress, token: stack.adminToken });
  const giveUpAt = performance.now() + COUNTED_WITHIN_MS;
  for (;;) {
    const sums = await usage
      .sumUsage({
        by: ['model'],
        organization: DEMO,
        sinceMs: Date.now() - 2 * DAYS * DAY_MS,
        untilMs: Date.now() + DAY_MS,
        limit: 1,
      })
      .catch(() => undefined);
    if ((sums?.total?.requests ?? 0) >= requests) return;
    if (performance.now() > giveUpAt) throw new Error('usage has not counted the requests');
    await delay(POLL_MS);
  }
}
