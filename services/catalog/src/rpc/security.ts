import { readAuthoritiesFile } from '@sluice/host';
import { rpcServerTls, type ServerTls } from '@sluice/rpc';
import type { CatalogSettings } from '../config.ts';

/** Undefined is in the clear. */
export interface CatalogTls {
  readonly forGateways: ServerTls | undefined;
  readonly forOperators: ServerTls | undefined;
}

/** One certificate on both ports. Who must show one is another question on each: operators have tokens. */
export function catalogTls(settings: CatalogSettings): CatalogTls {
  const forGateways = rpcServerTls(settings);
  if (forGateways === undefined) return { forGateways, forOperators: undefined };
  const clientAuthority = readAuthoritiesFile('ADMIN_CLIENT_CA_FILE', settings);
  return { forGateways, forOperators: { ...forGateways, clientAuthority } };
}
