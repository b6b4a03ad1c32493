import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { ConfigurationError } from './configuration.ts';

/** A file that a setting names. Its content is in no message. */
export interface SettingFile {
  /** The setting. */
  readonly name: string;
  /** Undefined where it is not set. */
  readonly path: string | undefined;
}

export function readSettingFile({ name, path }: SettingFile): Buffer | undefined {
  if (path === undefined) return undefined;
  try {
    return readFileSync(path);
  } catch (cause) {
    throw wrongSetting(name, `the file ${path} cannot be read`, cause);
  }
}

const BEFORE_CERTIFICATE = /(?=-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----)/;

/** TLS itself passes over a file without certificates, and over all that follow a damaged one. */
export function readCertificatesFile(file: SettingFile): string | undefined {
  const text = readSettingFile(file)?.toString();
  if (text === undefined) return undefined;
  try {
    parseCertificates(text);
  } catch (cause) {
    throw wrongSetting(file.name, 'is no PEM file of certificates', cause);
  }
  return text;
}

/** There may be words before the first. */
function parseCertificates(text: string): X509Certificate[] {
  const [, ...certificates] = `\n${text}`.split(BEFORE_CERTIFICATE);
  if (certificates.length === 0) throw new Error('no certificate begins here');
  return certificates.map((certificate) => new X509Certificate(certificate));
}

/** A key that belongs to a certificate which another setting names. */
export interface PrivateKeyFile extends SettingFile {
  readonly certificate: { readonly name: string; readonly text: string | undefined };
}

export function readPrivateKeyFile({ certificate, ...file }: PrivateKeyFile): string | undefined {
  const key = readSettingFile(file);
  if (key === undefined) return undefined;
  try {
    createSecureContext({ cert: certificate.text, key });
  } catch (cause) {
    const problem = `is no PEM file of the private key of ${certificate.name}, without a passphrase`;
    throw wrongSetting(file.name, problem, cause);
  }
  return key.toString();
}

/** As if it had been found out when the settings were read. */
export function wrongSetting(name: string, problem: string, cause: unknown): ConfigurationError {
  return new ConfigurationError(`a setting is wrong:\n  ${name}: ${problem}`, { cause });
}
