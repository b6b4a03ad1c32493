import {
  limitsToMessage,
  type CatalogHandlers,
  type ModelInput,
  type PrincipalInput,
  type ResolveCredentialRequest,
} from '@sluice/rpc';
import { count } from '@sluice/telemetry';
import type { CredentialKind } from '../domain/access-refusal.ts';
import type { AnswerGate } from '../domain/answer-gate.ts';
import { CatalogError } from '../domain/catalog-error.ts';
import type { CatalogView } from '../domain/catalog-state.ts';
import type { DocumentOf } from '../domain/entry-kinds.ts';
import { listModels } from '../domain/list-models.ts';
import {
  resolveApiKey,
  resolvePlaygroundToken,
  type Principal,
} from '../domain/resolve-credential.ts';
import { answering } from './rpc-errors.ts';

export interface CatalogHandlerOptions {
  readonly gate: AnswerGate;
  readonly now: () => number;
}

const SHA256_BYTES = 32;

/** What gateways ask. */
export function catalogHandlers({ gate, now }: CatalogHandlerOptions): CatalogHandlers {
  return {
    resolveCredential: counted('resolve_credential', async (request) => {
      const catalog = await gate.open(request.atLeast ?? undefined);
      const principal = resolve(catalog, request, now());
      return {
        principal: principal === undefined ? null : principalMessage(principal),
        position: catalog.position,
      };
    }),
    listModels: counted('list_models', async ({ organization, atLeast }) => {
      const catalog = await gate.open(atLeast ?? undefined);
      return {
        models: listModels(catalog, organization).map(modelMessage),
        position: catalog.position,
      };
    }),
  };
}

/** Answers, and counts what came of it. */
function counted<Request, Reply>(
  call: 'resolve_credential' | 'list_models',
  handle: (request: Request) => Promise<Reply>,
): (request: Request) => Promise<Reply> {
  const answer = answering(handle);
  return async (request) => {
    try {
      const reply = await answer(request);
      count('sluice.catalog.answers', { call, outcome: 'answered' });
      return reply;
    } catch (error) {
      count('sluice.catalog.answers', { call, outcome: 'failed' });
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

function modelMessage(model: DocumentOf<'models'>): ModelInput {
  const { shutdown_date, context_length, max_output_tokens, default_parameters, reasoning } = model;
  const defaultMaxTokens = default_parameters?.max_tokens;
  return {
    id: model.id,
    created: model.created,
    ownedBy: model.owned_by,
    pool: model.pool,
    runtimeModel: model.runtime_model,
    reasoningHistory: model.reasoning_history,
    inputTokenRatio: model.input_token_ratio,
    ...(shutdown_date !== null && { shutdownDate: shutdown_date }),
    ...(context_length !== undefined && { contextLength: context_length }),
    ...(max_output_tokens !== undefined && { maxOutputTokens: max_output_tokens }),
    ...(defaultMaxTokens !== undefined && { defaultMaxTokens }),
    ...(reasoning !== undefined && { reasoning: reasoningMessage(reasoning) }),
  };
}

function reasoningMessage({
  supported_efforts,
  default_effort,
  mandatory,
}: NonNullable<DocumentOf<'models'>['reasoning']>) {
  return {
    supportedEfforts: supported_efforts,
    mandatory,
    ...(default_effort !== undefined && { defaultEffort: default_effort }),
  };
}
