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
  /** Who has issued all that do not say otherwise. */
  readonly authority: string;
  /** Made out to 127.0.0.1 and localhost. */
  readonly server: CertificateFiles;
  readonly client: CertificateFiles;
  /** Made out to a place where nothing is. */
  readonly elsewhere: CertificateFiles;
  /** Made out as the server's, and not valid any more. */
  readonly expired: CertificateFiles;
  readonly otherAuthority: string;
  /** Made out as the server's, by the other authority. */
  readonly stranger: CertificateFiles;
}

const HERE = ['127.0.0.1', 'localhost'];

/** Certificates for a test file, gone after its last test: call it at the top of the file. */
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
