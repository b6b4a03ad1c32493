import { hash } from 'node:crypto';
import {
  limitsToMessage,
  schedulingToMessage,
  type CatalogHandlers,
  type PrincipalInput,
  type ResolveCredentialRequest,
  encodeModels,
} from '@sluice/rpc';
import { count, initCounters } from '@sluice/service';
import type { ModelLists, ModelList } from '../lookups/model-lists.ts';
import type { ReadinessGate } from '../lookups/readiness-gate.ts';
import {
  resolveApiKey,
  resolvePlaygroundToken,
  type Principal,
} from '../lookups/resolve-credential.ts';
import type { CredentialKind } from '../model/access-refusal.ts';
import { CatalogError } from '../model/catalog-error.ts';
import type { CatalogView } from '../model/catalog-state.ts';
import { mapCatalogErrors } from './rpc-errors.ts';

export interface CatalogHandlerOptions {
  readonly gate: ReadinessGate;
  /** The lists of the state that the gate gives access to. */
  readonly modelLists: ModelLists;
  readonly wallClock: () => number;
}

const SHA256_BYTES = 32;

/** The calls of gateways. */
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
    listModels: counted('list_models', async ({ organization, atLeast, knownTags }) => {
      const { position } = await gate.open(atLeast ?? undefined);
      const { tag, encodedModels } = encodedLists.of(modelLists.listOf(organization));
      return { tag, position, ...(!knownTags.includes(tag) && { encodedModels }) };
    }),
  };
}

/** Wraps a handler to count its outcomes. */
function counted<Request, Reply>(
  call: 'resolve_credential' | 'list_models',
  handle: (request: Request) => Promise<Reply>,
): (request: Request) => Promise<Reply> {
  const answered = { call, outcome: 'answered' };
  const failed = { call, outcome: 'failed' };
  initCounters('sluice.catalog.answers', [answered, failed]);
  const answer = mapCatalogErrors(handle);
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
  const {
    credentialKind,
    limits,
    scheduling,
    expiresAtMs,
    accessRefusal,
    billingRefusal,
    ...rest
  } = principal;
  return {
    ...rest,
    credentialKind: CREDENTIAL_KIND_NAMES[credentialKind],
    limits: limitsToMessage(limits),
    ...schedulingToMessage(scheduling),
    accessRefusal: accessRefusal ?? '',
    billingRefusal: billingRefusal ?? '',
    ...(expiresAtMs !== null && { expiresAtMs }),
  };
}

export interface EncodedList {
  /** A hash of the bytes, so that all replicas have the same tag for the same models. */
  readonly tag: string;
  readonly encodedModels: Buffer;
}

/** Encoded lists of models. Each is encoded once and kept as long as its list. */
class EncodedLists {
  readonly #encoded = new WeakMap<ModelList, EncodedList>();

  of(list: ModelList): EncodedList {
    const known = this.#encoded.get(list);
    if (known !== undefined) return known;
    const encodedModels = encodeModels(list);
    const encoded = { tag: hash('sha256', encodedModels, 'base64'), encodedModels };
    this.#encoded.set(list, encoded);
    return encoded;
  }
}
