import { X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MetricsPage, useCertificates } from '@sluice/devkit';
import { afterEach, expect, it, vi } from 'vitest';
import { readAuthoritiesFile, readIdentityFiles } from './setting-files.ts';
import { startTelemetry } from './start-telemetry.ts';

afterEach(() => vi.unstubAllEnvs());

const { authority, server, expired } = useCertificates();
const IDENTITY = ['CERT_FILE', 'KEY_FILE'] as const;

/** The days left on the page of metrics after `read` has read files, by the names of their settings. */
async function daysLeftAfter(read: () => void): Promise<Record<string, number>> {
  const metrics = await MetricsPage.ofThisProcess();
  await using _telemetry = await startTelemetry('test', metrics.settings);
  read();
  const page = await vi.waitFor(() => metrics.read());
  const series = Array.from(
    page.matchAll(/^sluice_certificate_days_left\{setting="(\w+)".*\} (\S+)/gm),
  );
  const days = Object.fromEntries(series.map(([, name = '', value]) => [name, Number(value)]));
  expect(Object.keys(days)).toHaveLength(series.length);
  return days;
}

const daysOf = (path: string) =>
  (new X509Certificate(readFileSync(path)).validToDate.getTime() - Date.now()) / 86_400_000;

it('a process reports how many days its certificate is still valid', async () => {
  const days = await daysLeftAfter(() => {
    readIdentityFiles(IDENTITY, { CERT_FILE: expired.certificate, KEY_FILE: expired.key });
  });
  expect(days).toEqual({ CERT_FILE: expect.closeTo(daysOf(expired.certificate), 1) as unknown });
});

it('a process reports how many days its authorities are still valid, once for each setting', async () => {
  const settings = { CA_FILE: authority, CLIENT_CA_FILE: expired.certificate, OTHER: undefined };
  const days = await daysLeftAfter(() => {
    for (const name of ['CA_FILE', 'CLIENT_CA_FILE', 'CA_FILE', 'OTHER'] as const) {
      readAuthoritiesFile(name, settings);
    }
  });
  expect(days).toEqual({
    CA_FILE: expect.closeTo(daysOf(authority), 1) as unknown,
    CLIENT_CA_FILE: expect.closeTo(daysOf(expired.certificate), 1) as unknown,
  });
});

it('a chain expires with its first certificate, and authorities with the last one', async () => {
  const both = join(dirname(authority), 'both.pem');
  const files = [server.certificate, expired.certificate];
  writeFileSync(both, files.map((path) => readFileSync(path, 'utf8')).join(''));
  const days = await daysLeftAfter(() => {
    readIdentityFiles(IDENTITY, { CERT_FILE: both, KEY_FILE: server.key });
    readAuthoritiesFile('CA_FILE', { CA_FILE: both });
  });
  expect(days).toEqual({
    CERT_FILE: expect.closeTo(daysOf(expired.certificate), 1) as unknown,
    CA_FILE: expect.closeTo(daysOf(server.certificate), 1) as unknown,
  });
});
