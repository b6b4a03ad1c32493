import { X509Certificate, createPrivateKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { CertificateAuthority } from './certificate-authority.ts';

test('a certificate is signed by its authority, valid for its hosts, and belongs to its key', () => {
  const authority = new CertificateAuthority();
  const issued = authority.issue({ hosts: ['localhost', '127.0.0.1'] });
  const certificate = new X509Certificate(issued.certificate);
  const issuer = new X509Certificate(authority.certificate);
  const stranger = new X509Certificate(new CertificateAuthority().certificate);
  expect(certificate.verify(issuer.publicKey)).toBe(true);
  expect(certificate.checkIssued(issuer)).toBe(true);
  expect(certificate.verify(stranger.publicKey)).toBe(false);
  expect(issuer.ca).toBe(true);
  expect(certificate.ca).toBe(false);
  expect(certificate.subjectAltName).toBe('DNS:localhost, IP Address:127.0.0.1');
  expect(certificate.checkPrivateKey(createPrivateKey(issued.privateKey))).toBe(true);
});

test('a certificate is valid for decades, unless it is issued as expired', () => {
  const authority = new CertificateAuthority();
  const valid = new X509Certificate(authority.issue({ hosts: ['a'] }).certificate);
  const expired = new X509Certificate(authority.issue({ hosts: ['a'], expired: true }).certificate);
  expect([valid.validFromDate.getUTCFullYear(), valid.validToDate.getUTCFullYear()]).toEqual([
    2020, 2049,
  ]);
  expect(expired.validToDate.getUTCFullYear()).toBe(2020);
});
