import { useLeakCheck } from '@sluice/devkit';
import { describe, expect, it } from 'vitest';
import {
  PLAIN,
  UNKNOWN,
  UNTRUSTED,
  nameCertificate,
  ipCertificate,
  serverTls,
  useConnecting,
} from './connecting-fixture.ts';
import { NatsProcess } from './nats-process.ts';

useLeakCheck();
const { written, expectAccepted, expectRefused } = useConnecting();

describe('a bus behind TLS', () => {
  it('is reached by name when its certificate is trusted, and not otherwise', async () => {
    await using nats = await NatsProcess.guarded(
      ...serverTls(nameCertificate),
      '--user=me',
      '--pass=secret',
    );
    const NATS_URL = `tls://me:secret@localhost:${nats.port}`;
    await expectAccepted({ NATS_URL, NATS_CA_FILE: nameCertificate.certificate });
    await expectRefused({ NATS_URL }, UNTRUSTED);
    await expectRefused({ NATS_URL, NATS_CA_FILE: ipCertificate.certificate }, UNTRUSTED);
  });

  it('is reached by IP address if its certificate is valid for this address', async () => {
    await using nats = await NatsProcess.guarded(...serverTls(ipCertificate));
    const NATS_CA_FILE = ipCertificate.certificate;
    await expectAccepted({ NATS_URL: `tls://127.0.0.1:${nats.port}`, NATS_CA_FILE });
    await expectAccepted({ NATS_URL: `tls://127.1:${nats.port}`, NATS_CA_FILE });
    await expectRefused({ NATS_URL: `tls://localhost:${nats.port}`, NATS_CA_FILE }, UNTRUSTED);
  });

  it('is not reached by IP address, however written, if its certificate is only valid for a name', async () => {
    await using nats = await NatsProcess.guarded(...serverTls(nameCertificate));
    const NATS_CA_FILE = nameCertificate.certificate;
    for (const number of ['127.0.0.1', '127.1', '0x7f.1']) {
      await expectRefused({ NATS_URL: `tls://${number}:${nats.port}`, NATS_CA_FILE }, UNTRUSTED);
    }
  });

  it('is reached by a name in capitals that is listed beside an IP address', async () => {
    await using nats = await NatsProcess.guarded(...serverTls(nameCertificate));
    const NATS_URL = `tls://LOCALHOST:${nats.port},tls://127.0.0.1:9`;
    await expectAccepted({ NATS_URL, NATS_CA_FILE: nameCertificate.certificate });
  });

  it('that requires a client certificate gets one', async () => {
    const asking = ['--tlsverify', `--tlscacert=${nameCertificate.certificate}`];
    await using nats = await NatsProcess.guarded(...serverTls(ipCertificate), ...asking);
    const trusting = {
      NATS_URL: `tls://127.0.0.1:${nats.port}`,
      NATS_CA_FILE: ipCertificate.certificate,
    };
    await expectAccepted({
      ...trusting,
      NATS_CERT_FILE: nameCertificate.certificate,
      NATS_KEY_FILE: nameCertificate.key,
    });
    await expectRefused(trusting, UNKNOWN);
  });

  it('is required: nothing is sent to a server without TLS', async () => {
    await using nats = await NatsProcess.start();
    await expectRefused({ NATS_URL: `tls://me:secret@localhost:${nats.port}` }, PLAIN);
    expect(written.join('')).not.toContain('secret');
  });
});
