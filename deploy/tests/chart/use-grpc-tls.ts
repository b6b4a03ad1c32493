import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useCertificates } from '@sluice/devkit';
import { afterAll } from 'vitest';
import type { SecretFiles } from './run-container.ts';

/**
 * Values that require certificates from all callers, and the files of their Secrets. Gateways and operators have
 * different authorities. Call this function at the top of a test file.
 */
export function useGrpcTls() {
  const { authority, server, client, otherAuthority, stranger } = useCertificates();
  const folder = mkdtempSync(join(tmpdir(), 'sluice-chart-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const both = join(folder, 'both.pem');
  writeFileSync(
    both,
    `${readFileSync(authority, 'utf8')}\n${readFileSync(otherAuthority, 'utf8')}`,
  );
  const files: SecretFiles = {
    'services-tls': {
      'tls.crt': server.certificate,
      'tls.key': server.key,
      'gateways.crt': authority,
      'operators.crt': otherAuthority,
      'both.crt': both,
    },
    'gateway-tls': { 'tls.crt': client.certificate, 'tls.key': client.key, 'ca.crt': authority },
    'operator-tls': {
      'tls.crt': stranger.certificate,
      'tls.key': stranger.key,
      'ca.crt': authority,
    },
  };
  const pair = { certificate: 'tls.crt', key: 'tls.key' };
  const grpcTls = {
    enabled: true,
    server: {
      secretName: 'services-tls',
      clientCa: 'gateways.crt',
      quotaClientCa: 'both.crt',
      adminClientCa: 'operators.crt',
    },
    client: { secretName: 'gateway-tls', ...pair },
  };
  return { grpcTls, operatorTls: { secretName: 'operator-tls', ...pair }, files };
}
