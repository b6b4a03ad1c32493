import { useCertificates } from '@sluice/testkit';
import type { SecretFiles } from './run-container.ts';

/** Values that ask everybody for a certificate, and the files of their Secrets: call it at the top of the file. */
export function useGrpcTls() {
  const { authority, server, client } = useCertificates();
  const files: SecretFiles = {
    'services-tls': { 'tls.crt': server.certificate, 'tls.key': server.key, 'ca.crt': authority },
    'gateway-tls': { 'tls.crt': client.certificate, 'tls.key': client.key, 'ca.crt': authority },
  };
  const grpcTls = {
    enabled: true,
    server: { secretName: 'services-tls', clientCa: 'ca.crt', adminClientCa: 'ca.crt' },
    client: { secretName: 'gateway-tls', certificate: 'tls.crt', key: 'tls.key' },
  };
  return { grpcTls, files };
}
