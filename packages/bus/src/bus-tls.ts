import { isIP } from 'node:net';
import { checkServerIdentity, type ConnectionOptions } from 'node:tls';
import type { TlsOptions as ClientTlsOptions } from '@nats-io/transport-node';
import type { BusAddresses } from './bus-addresses.ts';

/** PEM texts, used only with `tls://` addresses. */
export interface TlsAccess {
  /** Certificates to trust instead of the system's. */
  readonly certificateAuthority?: string | undefined;
  /** The client certificate, for servers that ask for one. */
  readonly certificate?: string | undefined;
  readonly privateKey?: string | undefined;
}

type TlsOptions = ClientTlsOptions & Pick<ConnectionOptions, 'checkServerIdentity'>;

/** The TLS options of the client. With `tls://`, a server that offers no TLS is refused. */
export function tlsOptions(
  { servers, secure }: BusAddresses,
  { certificateAuthority, certificate, privateKey }: TlsAccess,
): { tls?: TlsOptions } {
  if (!secure) return {};
  return {
    tls: {
      checkServerIdentity: (name, shown) => identityFault(servers, name, shown),
      ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
      ...(certificate === undefined ? {} : { cert: certificate }),
      ...(privateKey === undefined ? {} : { key: privateKey }),
    },
  };
}

const CLIENTS_NAME_OF_IP_ADDRESSES = 'localhost';

/**
 * For every server addressed by IP, the client checks the certificate against the name `localhost`. Here the
 * certificate must be valid for one of the configured IP addresses instead.
 */
function identityFault(
  servers: readonly string[],
  ...[name, shown]: Parameters<typeof checkServerIdentity>
): Error | undefined {
  const numbers = servers.map(hostOf).filter((host) => isIP(host) !== 0);
  if (name !== CLIENTS_NAME_OF_IP_ADDRESSES || numbers.length === 0) {
    return checkServerIdentity(name, shown);
  }
  const hosts = servers.map(hostOf).includes(name) ? [name, ...numbers] : numbers;
  const faults = hosts.map((host) => checkServerIdentity(host, shown));
  return faults.includes(undefined) ? undefined : faults[0];
}

/** An IPv6 address is written in brackets, which are removed. */
function hostOf(server: string): string {
  return server.slice(0, server.lastIndexOf(':')).replace(/^\[|\]$/g, '');
}
