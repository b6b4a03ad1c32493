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
      checkServerIdentity: (name, certificateOfServer) =>
        identityFault(servers, name, certificateOfServer),
      ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
      ...(certificate === undefined ? {} : { cert: certificate }),
      ...(privateKey === undefined ? {} : { key: privateKey }),
    },
  };
}

/** The name against which the client checks the certificate of every server that is addressed by IP. */
const NAME_OF_IP_ADDRESSES = 'localhost';

/**
 * The reason why a certificate is not accepted, or undefined if it is accepted. The certificate of a server that is
 * addressed by IP must be valid for one of the configured IP addresses. If `localhost` is configured as well, the
 * server may be either, so a certificate for `localhost` is accepted too.
 */
function identityFault(
  servers: readonly string[],
  ...[name, certificate]: Parameters<typeof checkServerIdentity>
): Error | undefined {
  const ipAddresses = servers.map(hostOf).filter((host) => isIP(host) !== 0);
  if (name !== NAME_OF_IP_ADDRESSES || ipAddresses.length === 0) {
    return checkServerIdentity(name, certificate);
  }
  const hosts = servers.map(hostOf).includes(name) ? [name, ...ipAddresses] : ipAddresses;
  const faults = hosts.map((host) => checkServerIdentity(host, certificate));
  return faults.includes(undefined) ? undefined : faults[0];
}

/** An IPv6 address is written in brackets, which are removed. */
function hostOf(server: string): string {
  return server.slice(0, server.lastIndexOf(':')).replace(/^\[|\]$/g, '');
}
