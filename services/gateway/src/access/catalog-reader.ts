import { ACCESS_REFUSALS, BILLING_REFUSALS, OLDEST_REVISION } from '@sluice/contracts';
import { decodeModels, limitsFromMessage, modelFromMessage, type CatalogClient } from '@sluice/rpc';
import type { CatalogReader } from '../domain/catalog-directory.ts';
import type { Principal } from '../domain/principal.ts';
import type { ToldModels } from '../domain/shared-shelves.ts';

type ResolveReply = Awaited<ReturnType<CatalogClient['resolveCredential']>>;
type ListReply = Awaited<ReturnType<CatalogClient['listModels']>>;
type WirePrincipal = NonNullable<ResolveReply['principal']>;

/** Reads the catalog over gRPC. */
export function grpcCatalogReader(client: CatalogClient): CatalogReader {
  return {
    async resolveCredential(credential, atLeast, asker) {
      const asked =
        credential.kind === 'api_key'
          ? { apiKeySha256: credential.digest }
          : { playgroundToken: credential.token };
      const reply = await client.resolveCredential({ ...asked, atLeast }, asker);
      return {
        answer: reply.principal === null ? undefined : toPrincipal(reply.principal),
        position: reply.position ?? OLDEST_REVISION,
      };
    },
    async listModels({ organization, atLeast, knownTags }, asker) {
      const asked = { organization, atLeast, tagged: true, knownTags: [...knownTags] };
      const reply = await client.listModels(asked, asker);
      return { answer: toldModels(reply), position: reply.position ?? OLDEST_REVISION };
    },
  };
}

function toldModels({ tag, models, encodedModels }: ListReply): ToldModels {
  // A catalog of an older version.
  if (tag === '') return { tag: undefined, read: () => models.map(modelFromMessage) };
  return {
    tag,
    read: () => {
      if (encodedModels === undefined) {
        throw new Error('the catalog left out models not known here');
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
    expiresAtMs: wire.expiresAtMs,
    accessRefusal: toRefusal(wire.accessRefusal, ACCESS_REFUSALS, 'account_restricted'),
    billingRefusal: toRefusal(wire.billingRefusal, BILLING_REFUSALS, 'billing_conflict'),
  };
}

/** A newer catalog may refuse for a reason that has no name here: it is refused all the same. */
function toRefusal<Refusal extends string>(
  code: string,
  known: readonly Refusal[],
  otherwise: Refusal,
): Refusal | undefined {
  if (code === '') return undefined;
  return known.find((refusal) => refusal === code) ?? otherwise;
}
