import { isIP } from 'node:net';
import { checkServerIdentity } from 'node:tls';
import {
  ServerCredentials,
  credentials,
  type ChannelCredentials,
  type ChannelOptions,
} from '@grpc/grpc-js';
import { splitAddress } from './split-address.ts';

/** Who this side is, in PEM. */
export interface Identity {
  readonly certificate: string;
  readonly privateKey: string;
}

export interface ServerTls {
  readonly identity: Identity;
  /** Who calls must show a certificate of one of these authorities, in PEM. */
  readonly clientAuthority?: string | undefined;
}

export interface ClientTls {
  /** Authorities to trust instead of the system's, in PEM. */
  readonly certificateAuthority?: string | undefined;
  /** What is shown to a server that asks who is calling. */
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
  return ServerCredentials.createSsl(Buffer.from(clientAuthority), [pair], true);
}

/** What a client of an address needs. */
export interface ChannelSecurity {
  readonly channelCredentials: ChannelCredentials;
  readonly options: ChannelOptions;
}

/** TLS has a place for the name that is called, and none for a number: nobody has this name. */
const NAME_OF_NUMBERS = 'number.invalid';

export function channelSecurity(address: string, tls: ClientTls | undefined): ChannelSecurity {
  if (tls === undefined) return { channelCredentials: credentials.createInsecure(), options: {} };
  const { certificateAuthority, identity } = tls;
  const buffer = (pem: string | undefined) => (pem === undefined ? null : Buffer.from(pem));
  const { host } = splitAddress(address);
  const channelCredentials = credentials.createSsl(
    buffer(certificateAuthority),
    buffer(identity?.privateKey),
    buffer(identity?.certificate),
    // Of the name that stands in for a number, it is the number that counts.
    { checkServerIdentity: (_name, shown) => checkServerIdentity(host, shown) },
  );
  const isNumber = isIP(host) !== 0;
  const options = isNumber ? { 'grpc.ssl_target_name_override': NAME_OF_NUMBERS } : {};
  return { channelCredentials, options };
}
