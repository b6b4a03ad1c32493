import {
  X509Certificate,
  generateKeyPairSync,
  randomBytes,
  randomUUID,
  sign,
  type KeyObject,
} from 'node:crypto';
import { isIPv4 } from 'node:net';

/** A certificate and its key, in PEM. */
export interface IssuedCertificate {
  readonly certificate: string;
  readonly privateKey: string;
}

export interface CertificateOptions {
  /** The host names and IPv4 addresses that the certificate is valid for. */
  readonly hosts: readonly string[];
  /** Whether the certificate has expired. */
  readonly expired?: boolean;
}

/** A certificate authority for tests. A client that trusts its certificate trusts every certificate that it issues. */
export class CertificateAuthority {
  readonly certificate: string;
  readonly #name = distinguishedName(`sluice tests ${randomUUID()}`);
  readonly #key: KeyObject;

  constructor() {
    const { publicKey, privateKey } = keyPair();
    this.#key = privateKey;
    this.certificate = this.#sign({
      subject: this.#name,
      publicKey,
      extensions: [basicConstraints({ isAuthority: true })],
    });
  }

  issue({ hosts, expired = false }: CertificateOptions): IssuedCertificate {
    const { publicKey, privateKey } = keyPair();
    const certificate = this.#sign({
      subject: distinguishedName(hosts[0] ?? 'nobody'),
      publicKey,
      extensions: [basicConstraints({ isAuthority: false }), alternativeNames(hosts)],
      until: expired ? IN_THE_PAST : FAR_FUTURE,
    });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    return { certificate, privateKey: pem };
  }

  #sign({ subject, publicKey, extensions, until = FAR_FUTURE }: CertificateContent): string {
    // The fields and their order: https://www.rfc-editor.org/rfc/rfc5280#section-4.1
    const content = sequence(
      // Version 3, which is written as 2.
      field(0xa0, integer(Buffer.from([2]))),
      // The serial number. It begins with a 1, because it must be positive.
      integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
      SIGNED_BY,
      this.#name,
      sequence(time(BEGINNING), time(until)),
      subject,
      publicKey.export({ type: 'spki', format: 'der' }),
      field(0xa3, sequence(...extensions)),
    );
    const signature = sign('sha256', content, this.#key);
    return new X509Certificate(sequence(content, SIGNED_BY, bits(signature))).toString();
  }
}

interface CertificateContent {
  readonly subject: Buffer;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
  readonly until?: string;
}

/**
 * The start of validity in the format of certificates, with two digits for the year. It is fixed, so that the clock of
 * the machine does not matter.
 */
const BEGINNING = '200101000000Z';
const IN_THE_PAST = '200201000000Z';
const FAR_FUTURE = '490101000000Z';

function keyPair() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

/**
 * Encodes a field in DER, the format of certificates: a tag, a length and the content. A length of 128 bytes or more is
 * written as 0x82 and two bytes.
 */
function field(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const long = Buffer.from([tag, 0x82, length >> 8, length & 0xff]);
  return Buffer.concat([long, content]);
}

const sequence = (...parts: readonly Buffer[]) => field(0x30, Buffer.concat(parts));
const integer = (value: Buffer) => field(0x02, value);
const bits = (value: Buffer) => field(0x03, Buffer.concat([Buffer.from([0]), value]));
const octets = (value: Buffer) => field(0x04, value);
const time = (text: string) => field(0x17, Buffer.from(text));
const objectName = (hex: string) => field(0x06, Buffer.from(hex, 'hex'));

const TRUE = field(0x01, Buffer.from([0xff]));
/** The object identifier of ecdsa-with-SHA256. */
const SIGNED_BY = sequence(objectName('2a8648ce3d040302'));

function distinguishedName(commonName: string): Buffer {
  const name = sequence(objectName('550403'), field(0x0c, Buffer.from(commonName)));
  return sequence(field(0x31, name));
}

function basicConstraints({ isAuthority }: { isAuthority: boolean }): Buffer {
  const content = isAuthority ? sequence(TRUE) : sequence();
  return sequence(objectName('551d13'), TRUE, octets(content));
}

function alternativeNames(hosts: readonly string[]): Buffer {
  const names = hosts.map((host) =>
    isIPv4(host)
      ? field(0x87, Buffer.from(host.split('.').map(Number)))
      : field(0x82, Buffer.from(host)),
  );
  return sequence(objectName('551d11'), octets(sequence(...names)));
}
