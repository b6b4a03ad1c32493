import { rpcServerTls, type ServerTls } from '@sluice/rpc';
import { readAuthoritiesFile } from '@sluice/service';
import type { CatalogSettings } from '../config.ts';

/** Undefined means plaintext. */
export interface CatalogTls {
  readonly forGateways: ServerTls | undefined;
  readonly forOperators: ServerTls | undefined;
}

/** Both ports have the same server certificate. Each has its own CA for client certificates. */
export function catalogTls(settings: CatalogSettings): CatalogTls {
  const forGateways = rpcServerTls(settings);
  if (forGateways === undefined) return { forGateways, forOperators: undefined };
  const clientAuthority = readAuthoritiesFile('ADMIN_CLIENT_CA_FILE', settings);
  return { forGateways, forOperators: { ...forGateways, clientAuthority } };
}
