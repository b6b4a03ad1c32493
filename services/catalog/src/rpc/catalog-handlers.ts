import {
  limitsToMessage,
  modelToMessage,
  type CatalogHandlers,
  type PrincipalInput,
  type ResolveCredentialRequest,
} from '@sluice/rpc';
import { count, startAtZero } from '@sluice/telemetry';
import type { CredentialKind } from '../domain/access-refusal.ts';
import type { AnswerGate } from '../domain/answer-gate.ts';
import { CatalogError } from '../domain/catalog-error.ts';
import type { CatalogView } from '../domain/catalog-state.ts';
import type { ModelLists } from '../domain/model-lists.ts';
import {
  resolveApiKey,
  resolvePlaygroundToken,
  type Principal,
} from '../domain/resolve-credential.ts';
import { EncodedLists } from './encoded-lists.ts';
import { answering } from './rpc-errors.ts';

export interface CatalogHandlerOptions {
  readonly gate: AnswerGate;
  /** Of the same state that the gate opens. */
  readonly modelLists: ModelLists;
  readonly wallClock: () => number;
}

const SHA256_BYTES = 32;

/** What gateways ask. */
export function catalogHandlers({
  gate,
  modelLists,
  wallClock,
}: CatalogHandlerOptions): CatalogHandlers {
  const encodedLists = new EncodedLists();
  return {
    resolveCredential: counted('resolve_credential', async (request) => {
      const catalog = await gate.open(request.atLeast ?? undefined);
      const principal = resolve(catalog, request, wallClock());
      return {
        principal: principal === undefined ? null : principalMessage(principal),
        position: catalog.position,
      };
    }),
    listModels: counted('list_models', async ({ organization, atLeast, tagged, knownTags }) => {
      const { position } = await gate.open(atLeast ?? undefined);
      const list = modelLists.listOf(organization);
      // Gateways of older versions know no tags.
      if (!tagged) return { models: list.map(modelToMessage), position };
      const { tag, encodedModels } = encodedLists.of(list);
      return { tag, position, ...(!knownTags.includes(tag) && { encodedModels }) };
    }),
  };
}

/** Answers, and counts what came of it. */
function counted<Request, Reply>(
  call: 'resolve_credential' | 'list_models',
  handle: (request: Request) => Promise<Reply>,
): (request: Request) => Promise<Reply> {
  const answered = { call, outcome: 'answered' };
  const failed = { call, outcome: 'failed' };
  startAtZero('sluice.catalog.answers', [answered, failed]);
  const answer = answering(handle);
  return async (request) => {
    try {
      const reply = await answer(request);
      count('sluice.catalog.answers', answered);
      return reply;
    } catch (error) {
      count('sluice.catalog.answers', failed);
      throw error;
    }
  };
}

function resolve(
  catalog: CatalogView,
  request: ResolveCredentialRequest,
  nowMs: number,
): Principal | undefined {
  const { apiKeySha256: digest, playgroundToken } = request;
  if (playgroundToken !== undefined) return resolvePlaygroundToken(catalog, playgroundToken, nowMs);
  if (digest?.length === SHA256_BYTES) return resolveApiKey(catalog, digest.toString('hex'), nowMs);
  throw new CatalogError('invalid', 'a playground token or the 32 bytes of a SHA-256 are needed');
}

const CREDENTIAL_KIND_NAMES = {
  api_key: 'CREDENTIAL_KIND_API_KEY',
  playground: 'CREDENTIAL_KIND_PLAYGROUND',
} as const satisfies Record<CredentialKind, string>;

function principalMessage(principal: Principal): PrincipalInput {
  const { credentialKind, limits, expiresAtMs, accessRefusal, billingRefusal, ...rest } = principal;
  return {
    ...rest,
    credentialKind: CREDENTIAL_KIND_NAMES[credentialKind],
    limits: limitsToMessage(limits),
    accessRefusal: accessRefusal ?? '',
    billingRefusal: billingRefusal ?? '',
    ...(expiresAtMs !== null && { expiresAtMs }),
  };
}
