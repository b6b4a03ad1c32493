import { isIP } from 'node:net';
import { checkServerIdentity } from 'node:tls';
import {
  ServerCredentials,
  credentials,
  type ChannelCredentials,
  type ChannelOptions,
} from '@grpc/grpc-js';
import { splitAddress } from './address.ts';

/** The certificate and private key of this process, in PEM. */
export interface Identity {
  readonly certificate: string;
  readonly privateKey: string;
}

export interface ServerTls {
  readonly identity: Identity;
  /** Authorities in PEM. Callers must present a certificate issued by one of them. */
  readonly clientAuthority?: string | undefined;
}

export interface ClientTls {
  /** Authorities to trust instead of the system's, in PEM. */
  readonly certificateAuthority?: string | undefined;
  /** The client certificate, for servers that ask for one. */
  readonly identity?: Identity | undefined;
}

export function serverCredentials(tls: ServerTls | undefined): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure();
  const { identity, clientAuthority } = tls;
  const pair = {
    private_key: Buffer.from(identity.privateKey),
    cert_chain: Buffer.from(identity.certificate),
  };
  if (clientAuthority === undefined) return ServerCredentials.createSsl(null, [pair]);
  const checkClientCertificate = true;
  return ServerCredentials.createSsl(Buffer.from(clientAuthority), [pair], checkClientCertificate);
}

/** The credentials and options of a client for one address. */
export interface ChannelSecurity {
  readonly channelCredentials: ChannelCredentials;
  readonly options: ChannelOptions;
}

/**
 * Used as the server name if the server is addressed by IP, because the server name in TLS must be a host name
 * (https://www.rfc-editor.org/rfc/rfc6066#section-3). RFC 6761 reserves the domain `.invalid`, so it never exists.
 */
const NAME_OF_IP_ADDRESS = 'number.invalid';

export function channelSecurity(address: string, tls: ClientTls | undefined): ChannelSecurity {
  if (tls === undefined) return { channelCredentials: credentials.createInsecure(), options: {} };
  const { certificateAuthority, identity } = tls;
  const buffer = (pem: string | undefined) => (pem === undefined ? null : Buffer.from(pem));
  const { host } = splitAddress(address);
  const channelCredentials = credentials.createSsl(
    buffer(certificateAuthority),
    buffer(identity?.privateKey),
    buffer(identity?.certificate),
    // The certificate is checked against the real host, also if the placeholder name is used.
    { checkServerIdentity: (_name, certificate) => checkServerIdentity(host, certificate) },
  );
  const isIpAddress = isIP(host) !== 0;
  const options = isIpAddress ? { 'grpc.ssl_target_name_override': NAME_OF_IP_ADDRESS } : {};
  return { channelCredentials, options };
}
