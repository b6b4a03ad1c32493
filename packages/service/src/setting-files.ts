import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { observe } from '@sluice/telemetry';
import { ConfigurationError } from './configuration.ts';

/** Files that settings name. What is in one is in no message. */
type FileSettings<Name extends string> = { readonly [Setting in Name]?: string | undefined };

/** Undefined where it is not set, as with the others here. */
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

/** Of those to trust. While one is changed for another, both are here: the file serves until the last of them ends. */
export function readAuthoritiesFile<Name extends string>(
  name: Name,
  settings: FileSettings<Name>,
): string | undefined {
  const file = readCertificatesFile(name, settings);
  if (file !== undefined) tellEnd(name, Math.max(...file.ends));
  return file?.text;
}

interface CertificatesFile {
  readonly text: string;
  /** Of each certificate, in Unix milliseconds. */
  readonly ends: readonly number[];
}

/** TLS itself passes over a file without certificates, and over all that follow a damaged one. */
function readCertificatesFile<Name extends string>(
  name: Name,
  settings: FileSettings<Name>,
): CertificatesFile | undefined {
  const text = readSettingFile(name, settings)?.toString();
  if (text === undefined) return undefined;
  try {
    return { text, ends: parseCertificates(text).map(({ validToDate }) => validToDate.getTime()) };
  } catch (cause) {
    throw wrongSetting(name, 'is no PEM file of certificates', cause);
  }
}

/** There may be words before the first. */
function parseCertificates(text: string): X509Certificate[] {
  const [, ...certificates] = `\n${text}`.split(BEFORE_CERTIFICATE);
  if (certificates.length === 0) throw new Error('no certificate begins here');
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
  // A chain is as good as the first of it to end.
  if (file !== undefined) tellEnd(certificateName, Math.min(...file.ends));
  const certificate = file?.text;
  const key = readSettingFile(keyName, settings);
  if (key === undefined) return { certificate, privateKey: undefined };
  try {
    createSecureContext({ cert: certificate, key });
  } catch (cause) {
    const problem = `is no PEM file of the private key of ${certificateName}, without a passphrase`;
    throw wrongSetting(keyName, problem, cause);
  }
  return { certificate, privateKey: key.toString() };
}

const DAY_MS = 86_400_000;

/** A renewed file is not read before the next start: somebody has to know in time. */
function tellEnd(setting: string, end: number): void {
  observe('sluice.certificate.days_left', () => [[(end - Date.now()) / DAY_MS, { setting }]]);
}

/** As if it had been found out when the settings were read. */
export function wrongSetting(name: string, problem: string, cause: unknown): ConfigurationError {
  return new ConfigurationError(`a setting is wrong:\n  ${name}: ${problem}`, { cause });
}
