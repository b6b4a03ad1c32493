import { useLeakCheck, waitUntil } from '@sluice/devkit';
import { findFreePort } from '@sluice/servers';
import { describe, it } from 'vitest';
import {
  LOGIN,
  ipCertificate,
  nameCertificate,
  serverTls,
  useConnecting,
} from './connecting-fixture.ts';
import { NatsProcess } from './nats-process.ts';

useLeakCheck();
const { expectAccepted, expectRefused } = useConnecting();

/** Two servers with one login. The first tells every client the address of the second. */
async function startPair(
  ofFirst: readonly string[],
  ofSecond: readonly string[],
  advertised: (second: NatsProcess) => string,
): Promise<AsyncDisposable & { readonly first: NatsProcess }> {
  await using starting = new AsyncDisposableStack();
  const route = await findFreePort();
  const shared = [
    '--user=me',
    '--pass=secret',
    '--cluster_name=pair',
    `--routes=nats://127.0.0.1:${route}`,
  ];
  const start = async (name: string, port: number, own: readonly string[]) =>
    starting.use(
      await NatsProcess.guarded(
        `--name=${name}`,
        `--cluster=nats://127.0.0.1:${port}`,
        ...shared,
        ...own,
      ),
    );
  const first = await start('first', route, ofFirst);
  const second = await start('second', -1, ofSecond);
  await waitUntil(async () => (await first.greeting()).includes(advertised(second)), {
    what: 'the first to tell of the second',
  });
  const servers = starting.move();
  return { first, [Symbol.asyncDispose]: () => servers.disposeAsync() };
}

describe('the refusal of a password by two servers is reported', () => {
  it('although the second is unreachable at the address that the first advertises', async () => {
    const nowhere = '127.0.0.1:1';
    await using pair = await startPair([], [`--client_advertise=${nowhere}`], () => nowhere);
    await expectAccepted({ NATS_URL: `nats://me:secret@${pair.first.address}` });
    await expectRefused({ NATS_URL: `nats://me:wrong@${pair.first.address}` }, LOGIN);
  });

  it('although the certificate of the second is not trusted', async () => {
    await using pair = await startPair(
      serverTls(nameCertificate),
      serverTls(ipCertificate),
      ({ address }) => address,
    );
    const url = (password: string) => `tls://me:${password}@localhost:${pair.first.port}`;
    const NATS_CA_FILE = nameCertificate.certificate;
    await expectAccepted({ NATS_URL: url('secret'), NATS_CA_FILE });
    await expectRefused({ NATS_URL: url('wrong'), NATS_CA_FILE }, LOGIN);
  });
});
