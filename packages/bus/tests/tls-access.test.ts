import { useLeakCheck } from '@sluice/devkit';
import { describe, expect, it } from 'vitest';
import {
  PLAIN,
  UNKNOWN,
  UNTRUSTED,
  named,
  numbered,
  serverTls,
  useEntrance,
} from './entrance-fixture.ts';
import { NatsProcess } from './nats-process.ts';

useLeakCheck();
const { written, expectOpen, expectClosed } = useEntrance();

describe('a bus behind TLS', () => {
  it('is reached by name when its certificate is trusted, and not otherwise', async () => {
    await using nats = await NatsProcess.guarded(...serverTls(named), '--user=me', '--pass=secret');
    const NATS_URL = `tls://me:secret@localhost:${nats.port}`;
    await expectOpen({ NATS_URL, NATS_CA_FILE: named.certificate });
    await expectClosed({ NATS_URL }, UNTRUSTED);
    await expectClosed({ NATS_URL, NATS_CA_FILE: numbered.certificate }, UNTRUSTED);
  });

  it('is reached by number when its certificate is made out to that number', async () => {
    await using nats = await NatsProcess.guarded(...serverTls(numbered));
    const NATS_CA_FILE = numbered.certificate;
    await expectOpen({ NATS_URL: `tls://127.0.0.1:${nats.port}`, NATS_CA_FILE });
    await expectOpen({ NATS_URL: `tls://127.1:${nats.port}`, NATS_CA_FILE });
    await expectClosed({ NATS_URL: `tls://localhost:${nats.port}`, NATS_CA_FILE }, UNTRUSTED);
  });

  it('is not reached by number, however written, when its certificate is made out to a name', async () => {
    await using nats = await NatsProcess.guarded(...serverTls(named));
    const NATS_CA_FILE = named.certificate;
    for (const number of ['127.0.0.1', '127.1', '0x7f.1']) {
      await expectClosed({ NATS_URL: `tls://${number}:${nats.port}`, NATS_CA_FILE }, UNTRUSTED);
    }
  });

  it('is reached by a name in capitals beside a number', async () => {
    await using nats = await NatsProcess.guarded(...serverTls(named));
    const NATS_URL = `tls://LOCALHOST:${nats.port},tls://127.0.0.1:9`;
    await expectOpen({ NATS_URL, NATS_CA_FILE: named.certificate });
  });

  it('that requires a client certificate gets one', async () => {
    const asking = ['--tlsverify', `--tlscacert=${named.certificate}`];
    await using nats = await NatsProcess.guarded(...serverTls(numbered), ...asking);
    const trusting = {
      NATS_URL: `tls://127.0.0.1:${nats.port}`,
      NATS_CA_FILE: numbered.certificate,
    };
    await expectOpen({
      ...trusting,
      NATS_CERT_FILE: named.certificate,
      NATS_KEY_FILE: named.key,
    });
    await expectClosed(trusting, UNKNOWN);
  });

  it('is required: nothing is sent to a server without TLS', async () => {
    await using nats = await NatsProcess.start();
    await expectClosed({ NATS_URL: `tls://me:secret@localhost:${nats.port}` }, PLAIN);
    expect(written.join('')).not.toContain('secret');
  });
});
