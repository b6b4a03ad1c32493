import { describe, expect, it } from 'vitest';
import { connectionFault } from './connection-check.ts';

const IDENTITY = { certificate: 'a', privateKey: 'b' };
const details = (error: string) =>
  `No connection established. Last error: ${error}. Resolution note: `;

/** tests/tls.test.ts checks these error texts against real servers. */
describe('the fault of a connection', () => {
  it.each([
    ['Error: connect ECONNREFUSED 127.0.0.1:1', {}],
    ['Error: connect ETIMEDOUT 10.0.0.1:1', {}],
    ['Error: certificate has expired', undefined],
  ])('is undefined while the server is only unreachable: %s', (error, tls) => {
    expect(connectionFault(details(error), tls)).toBeUndefined();
  });

  it('is undefined if a server answered with an error, whatever its text', () => {
    expect(connectionFault('unable to get the self-signed certificate', {})).toBeUndefined();
    expect(connectionFault('Failed to connect', undefined)).toBeUndefined();
  });

  it.each([
    ['Error: certificate is not yet valid', 'its certificate is not valid yet'],
    ['write EPROTO 40ED:error:0A000418:SSL routines::tlsv1 alert unknown ca', 'does not accept'],
    ['Error: unable to verify the first certificate', 'GRPC_CA_FILE'],
    ['Error: unsuitable certificate purpose', 'its certificate cannot be accepted'],
  ])('names what to do about %s', (error, words) => {
    const fault = connectionFault(details(error), {});
    expect(fault).toMatchObject({ doubtful: false });
    expect(fault?.reason).toContain(words);
  });

  it.each([
    ['it may require TLS', undefined],
    ['it may require a certificate', {}],
    ['it may not accept the certificate', { identity: IDENTITY }],
  ])('is guessed if a connection is closed without a reason: %s', (words, tls) => {
    for (const error of ['Failed to connect (2026-11-15T21:48:56.361Z)', 'read ECONNRESET']) {
      const fault = connectionFault(details(error), tls);
      expect(fault).toMatchObject({ doubtful: true });
      expect(fault?.reason).toContain(words);
    }
  });
});
