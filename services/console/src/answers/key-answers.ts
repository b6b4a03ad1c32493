import type { ConsoleReply, UsageClient } from '@sluice/rpc';
import { withTimeout } from '@sluice/service';
import type { Key } from '../api/keys.ts';
import { pageReply, pageRequest, type Answers } from './answers.ts';
import { ConsoleError } from './console-error.ts';

type KeyRoute = 'listKeys' | 'createKey' | 'revokeKey' | 'issuePlaygroundCredential' | 'listModels';

export interface KeyAnswerParts {
  /** Undefined if there is no usage service. The last use of a key is then not known. */
  readonly usage: Pick<UsageClient, 'lastUses'> | undefined;
  readonly wallClock: () => number;
}

/**
 * The roles that may revoke the keys of other members. This set only decides which buttons the page shows: the catalog
 * checks the right when a key is revoked.
 */
const REVOKES_ALL_KEYS: ReadonlySet<string> = new Set(['admin', 'owner']);

/** How long the page of keys waits for the last uses. */
const LAST_USE_MS = 1_500;

export function keyAnswers({ usage, wallClock }: KeyAnswerParts): Pick<Answers, KeyRoute> {
  /** The time of the last use by key. A key that was never used is left out. Undefined without an answer in time. */
  async function lastUses(
    credentials: readonly string[],
  ): Promise<ReadonlyMap<string, number> | undefined> {
    if (credentials.length === 0) return new Map();
    if (usage === undefined) return undefined;
    let known: ReadonlyMap<string, number> | undefined;
    const ask = async () => {
      const { uses } = await usage.lastUses({ credentials: [...credentials] });
      known = new Map(uses.map(({ credential, lastUsedAtMs }) => [credential, lastUsedAtMs]));
    };
    await withTimeout(LAST_USE_MS, ask());
    return known;
  }

  function describe(
    details: ConsoleReply<'RevokeApiKey'>,
    { lastUse, canRevoke }: { readonly lastUse: number | undefined; readonly canRevoke: boolean },
  ): Key {
    const expires = details.expiresAtMs ?? null;
    const revoked = details.revokedAtMs ?? null;
    const state = keyState({ expires, revoked }, wallClock());
    return {
      id: details.id,
      name: details.name,
      project: details.project,
      creator: details.creator,
      creator_name: details.creatorName || details.creator,
      last_four: details.lastFour,
      state,
      created_at_ms: details.createdAtMs,
      expires_at_ms: expires,
      revoked_at_ms: revoked,
      last_used_at_ms: lastUse ?? null,
      can_revoke: canRevoke && state !== 'revoked',
    };
  }

  return {
    listKeys: async ({ params: { organization }, query }, ask) => {
      const [reply, me] = await Promise.all([
        ask('ListApiKeys', {
          organization,
          project: query.project ?? '',
          state: query.state ?? '',
          ...pageRequest(query),
        }),
        ask('WhoAmI', {}),
      ]);
      const role = me.organizations.find(({ id }) => id === organization)?.role ?? '';
      const uses = await lastUses(reply.keys.map(({ id }) => id));
      return {
        keys: reply.keys.map((details) =>
          describe(details, {
            lastUse: uses?.get(details.id),
            canRevoke:
              REVOKES_ALL_KEYS.has(role) || (role === 'member' && details.creator === me.account),
          }),
        ),
        last_use_known: uses !== undefined,
        ...pageReply(reply),
      };
    },
    createKey: async ({ params, body }, ask) => {
      const { details, key } = await ask('CreateApiKey', {
        ...params,
        project: body.project,
        name: body.name,
        ...(body.expires_at_ms !== null && { expiresAtMs: body.expires_at_ms }),
      });
      if (details === null) {
        throw new ConsoleError('internal_error', 'The catalog sent an incomplete reply.');
      }
      return { key: describe(details, { lastUse: undefined, canRevoke: true }), secret: key };
    },
    revokeKey: async ({ params }, ask) => {
      await ask('RevokeApiKey', params);
      return {};
    },
    issuePlaygroundCredential: async ({ params, body }, ask) => {
      const reply = await ask('IssuePlaygroundToken', { ...params, project: body.project });
      return { token: reply.token, expires_at_ms: reply.expiresAtMs };
    },
    listModels: async ({ params }, ask) => {
      const { models } = await ask('ListModels', params);
      return { models: models.map(describeModel) };
    },
  };
}

function keyState(
  { expires, revoked }: { readonly expires: number | null; readonly revoked: number | null },
  nowMs: number,
): Key['state'] {
  if (revoked !== null) return 'revoked';
  return expires !== null && expires <= nowMs ? 'expired' : 'active';
}

function describeModel(model: ConsoleReply<'ListModels'>['models'][number]) {
  const { contextLength, maxOutputTokens, defaultMaxTokens, reasoning } = model;
  return {
    id: model.id,
    object: 'model' as const,
    created: model.created,
    owned_by: model.ownedBy,
    shutdown_date: model.shutdownDate ?? null,
    ...(contextLength !== undefined && { context_length: contextLength }),
    ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
    ...(defaultMaxTokens !== undefined && { default_parameters: { max_tokens: defaultMaxTokens } }),
    ...(reasoning && {
      reasoning: {
        supported_efforts: reasoning.supportedEfforts,
        ...(reasoning.defaultEffort !== undefined && { default_effort: reasoning.defaultEffort }),
        ...(reasoning.mandatory !== undefined && { mandatory: reasoning.mandatory }),
      },
    }),
  };
}
