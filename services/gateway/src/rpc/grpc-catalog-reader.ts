import { ERROR_CODES, OLDEST_REVISION, type ErrorCode } from '@sluice/contracts';
import { limitsFromMessage, modelFromMessage, type CatalogClient } from '@sluice/rpc';
import type { Asker, CatalogReader } from '../domain/catalog-directory.ts';
import type { Principal } from '../domain/principal.ts';

type ResolveReply = Awaited<ReturnType<CatalogClient['resolveCredential']>>;
type WirePrincipal = NonNullable<ResolveReply['principal']>;

/** Reads the catalog over gRPC. */
export function grpcCatalogReader(client: CatalogClient): CatalogReader {
  return {
    async resolveCredential(credential, atLeast, asker) {
      const asked =
        credential.kind === 'api_key'
          ? { apiKeySha256: credential.digest }
          : { playgroundToken: credential.token };
      const reply = await client.resolveCredential({ ...asked, atLeast }, wireAsker(asker));
      return {
        answer: reply.principal === null ? undefined : toPrincipal(reply.principal),
        position: reply.position ?? OLDEST_REVISION,
      };
    },
    async listModels(organization, atLeast, asker) {
      const reply = await client.listModels({ organization, atLeast }, wireAsker(asker));
      return {
        answer: reply.models.map(modelFromMessage),
        position: reply.position ?? OLDEST_REVISION,
      };
    },
  };
}

function wireAsker(asker: Asker | undefined) {
  return { requestId: asker?.id, trace: asker?.span };
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
    accessRefusal: toRefusal(wire.accessRefusal, 'account_restricted'),
    billingRefusal: toRefusal(wire.billingRefusal, 'billing_conflict'),
  };
}

/** A newer catalog may refuse for a reason that has no name here: it is refused all the same. */
function toRefusal(code: string, otherwise: ErrorCode): ErrorCode | undefined {
  if (code === '') return undefined;
  return ERROR_CODES.find((known) => known === code) ?? otherwise;
}
