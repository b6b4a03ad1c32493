import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { CertificateAuthority, type IssuedCertificate } from './certificate-authority.ts';

/** Paths of PEM files. */
export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

export interface CertificatesForTests {
  /** Path of the certificate of the authority that issued all certificates except `stranger`. */
  readonly authority: string;
  /** Valid for 127.0.0.1 and localhost. */
  readonly server: CertificateFiles;
  readonly client: CertificateFiles;
  /** Valid for a different host only. */
  readonly elsewhere: CertificateFiles;
  /** Valid for the same hosts as `server`, but expired. */
  readonly expired: CertificateFiles;
  /** Path of the certificate of a second authority. */
  readonly otherAuthority: string;
  /** Valid for the same hosts as `server`, but issued by the second authority. */
  readonly stranger: CertificateFiles;
}

const HERE = ['127.0.0.1', 'localhost'];

/** Makes certificates for a test file, and deletes them after its last test. Call it at the top of the file. */
export function useCertificates(): CertificatesForTests {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-certificates-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const write = (name: string, content: string) => {
    const path = join(folder, name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  };
  const writePair = (name: string, { certificate, privateKey }: IssuedCertificate) => ({
    certificate: write(`${name}.pem`, certificate),
    key: write(`${name}-key.pem`, privateKey),
  });
  const authority = new CertificateAuthority();
  const other = new CertificateAuthority();
  return {
    authority: write('authority.pem', authority.certificate),
    server: writePair('server', authority.issue({ hosts: HERE })),
    client: writePair('client', authority.issue({ hosts: ['gateway'] })),
    elsewhere: writePair('elsewhere', authority.issue({ hosts: ['elsewhere.example'] })),
    expired: writePair('expired', authority.issue({ hosts: HERE, expired: true })),
    otherAuthority: write('other-authority.pem', other.certificate),
    stranger: writePair('stranger', other.issue({ hosts: HERE })),
  };
}
