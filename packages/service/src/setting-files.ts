import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { observe } from './metrics.ts';
import { ConfigurationError } from './settings.ts';

/** Settings whose values are paths of files. Messages never contain the content of a file. */
type FileSettings<Name extends string> = { readonly [Setting in Name]?: string | undefined };

/** The content of the file, or undefined if the setting is not set. */
export function readSettingFile<Name extends string>(
  name: Name,
  settings: FileSettings<Name>,
): Buffer | undefined {
  const path = settings[name];
  if (path === undefined) return undefined;
  try {
    return readFileSync(path);
  } catch (cause) {
    throw wrongSetting(name, `the file ${path} cannot be read`, cause);
  }
}

const BEFORE_CERTIFICATE = /(?=-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----)/;

/**
 * Reads the certificates of trusted authorities. While an authority is replaced, the file has both certificates, so it
 * is usable until the last one expires.
 */
export function readAuthoritiesFile<Name extends string>(
  name: Name,
  settings: FileSettings<Name>,
): string | undefined {
  const file = readCertificatesFile(name, settings);
  if (file !== undefined) reportExpiry(name, Math.max(...file.expiries));
  return file?.text;
}

interface CertificatesFile {
  readonly text: string;
  /** When each certificate expires, in Unix milliseconds. */
  readonly expiries: readonly number[];
}

/** Checks every certificate. TLS would ignore a file without certificates, and all certificates after a damaged one. */
function readCertificatesFile<Name extends string>(
  name: Name,
  settings: FileSettings<Name>,
): CertificatesFile | undefined {
  const text = readSettingFile(name, settings)?.toString();
  if (text === undefined) return undefined;
  try {
    const certificates = parseCertificates(text);
    return { text, expiries: certificates.map(({ validToDate }) => validToDate.getTime()) };
  } catch (cause) {
    throw wrongSetting(name, 'is not a PEM file of certificates', cause);
  }
}

/** Text before the first certificate is ignored. */
function parseCertificates(text: string): X509Certificate[] {
  // The line end in front makes the first part never a certificate, even if the file begins with one.
  const [, ...certificates] = `\n${text}`.split(BEFORE_CERTIFICATE);
  if (certificates.length === 0) throw new Error('the file has no certificate');
  return certificates.map((certificate) => new X509Certificate(certificate));
}

/** A certificate and the private key that belongs to it. */
export interface IdentityFiles {
  readonly certificate: string | undefined;
  readonly privateKey: string | undefined;
}

export function readIdentityFiles<Name extends string>(
  [certificateName, keyName]: readonly [certificate: Name, privateKey: Name],
  settings: FileSettings<Name>,
): IdentityFiles {
  const file = readCertificatesFile(certificateName, settings);
  // A chain is valid until its first certificate expires.
  if (file !== undefined) reportExpiry(certificateName, Math.min(...file.expiries));
  const certificate = file?.text;
  const key = readSettingFile(keyName, settings);
  if (key === undefined) return { certificate, privateKey: undefined };
  try {
    createSecureContext({ cert: certificate, key });
  } catch (cause) {
    const problem = `is not a PEM file of the private key of ${certificateName}, without a passphrase`;
    throw wrongSetting(keyName, problem, cause);
  }
  return { certificate, privateKey: key.toString() };
}

const DAY_MS = 86_400_000;

/** Shows operators when to restart, because a renewed file is only read at the next start. */
function reportExpiry(setting: string, expiry: number): void {
  observe('sluice.certificate.days_left', () => [[(expiry - Date.now()) / DAY_MS, { setting }]]);
}

/** An error like those of `readConfiguration`, for a problem that is found later. */
export function wrongSetting(name: string, problem: string, cause: unknown): ConfigurationError {
  return new ConfigurationError(`a setting is wrong:\n  ${name}: ${problem}`, { cause });
}
