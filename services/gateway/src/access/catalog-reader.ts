import { ACCESS_REFUSALS, BILLING_REFUSALS, OLDEST_REVISION } from '@sluice/contracts';
import {
  decodeModels,
  limitsFromMessage,
  schedulingFromMessage,
  type CatalogClient,
} from '@sluice/rpc';
import type { CatalogReader } from './catalog-directory.ts';
import type { Principal } from './principal.ts';
import type { CatalogModels } from './shared-model-lists.ts';

type ResolveReply = Awaited<ReturnType<CatalogClient['resolveCredential']>>;
type ListReply = Awaited<ReturnType<CatalogClient['listModels']>>;
type WirePrincipal = NonNullable<ResolveReply['principal']>;

/** Reads the catalog over gRPC. */
export function grpcCatalogReader(client: CatalogClient): CatalogReader {
  return {
    async resolveCredential(credential, atLeast, callContext) {
      const query =
        credential.kind === 'api_key'
          ? { apiKeySha256: credential.digest }
          : { playgroundToken: credential.token };
      const reply = await client.resolveCredential({ ...query, atLeast }, callContext);
      return {
        answer: reply.principal === null ? undefined : toPrincipal(reply.principal),
        revision: reply.position ?? OLDEST_REVISION,
      };
    },
    async listModels({ organization, atLeast, knownTags }, callContext) {
      const query = { organization, atLeast, tagged: true, knownTags: [...knownTags] };
      const reply = await client.listModels(query, callContext);
      return { answer: catalogModels(reply), revision: reply.position ?? OLDEST_REVISION };
    },
  };
}

function catalogModels({ tag, encodedModels }: ListReply): CatalogModels {
  return {
    tag,
    read: () => {
      if (encodedModels === undefined) {
        throw new Error('the catalog sent the tag of an unknown model list without its models');
      }
      return decodeModels(encodedModels);
    },
  };
}

function toPrincipal(wire: WirePrincipal): Principal {
  return {
    organization: wire.organization,
    project: wire.project,
    credentialId: wire.credentialId,
    retention: wire.retention === '' ? 'zero' : wire.retention,
    limits: limitsFromMessage(wire.limits ?? {}),
    limitsRevision: wire.limitsRevision ?? OLDEST_REVISION,
    scheduling: schedulingFromMessage(wire),
    expiresAtMs: wire.expiresAtMs,
    accessRefusal: toRefusal(wire.accessRefusal, ACCESS_REFUSALS, 'account_restricted'),
    billingRefusal: toRefusal(wire.billingRefusal, BILLING_REFUSALS, 'billing_conflict'),
  };
}

/** If a newer catalog sends a reason that this version does not know, the request is refused with a generic reason. */
function toRefusal<Refusal extends string>(
  code: string,
  known: readonly Refusal[],
  otherwise: Refusal,
): Refusal | undefined {
  if (code === '') return undefined;
  return known.find((refusal) => refusal === code) ?? otherwise;
}
