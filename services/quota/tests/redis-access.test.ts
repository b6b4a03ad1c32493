import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { cannotRun, useLeakCheck, waitUntil } from '@sluice/devkit';
import { connectQuota } from '@sluice/rpc';
import { createLogger } from '@sluice/service';
import { describe, expect, it } from 'vitest';
import { readQuotaSettings } from '../src/config.ts';
import { connectRedis } from '../src/redis/connect-redis.ts';
import { redisSettings } from '../src/redis/redis-settings.ts';
import { start } from '../src/start.ts';
import { ONE_REQUEST, REVISION, UNLIMITED } from './support/calls.ts';
import { ask, redisProgramMissing, startRedisProcess } from './support/redis-processes.ts';

useLeakCheck();
const logger = createLogger({ service: 'test', level: 'silent' });
const fixture = (name: string) => fileURLToPath(new URL(`fixtures/tls/${name}`, import.meta.url));
const certificate = fixture('certificate.pem');
const key = fixture('key.pem');
/** A certificate for localhost, without an IP address. */
const namedCertificate = fixture('named-certificate.pem');
const namedKey = fixture('named-key.pem');

async function expectAdmission(environment: Readonly<Record<string, string>>): Promise<void> {
  await using quota = await start(
    readQuotaSettings({ PORT: '0', REDIS_DEADLINE_MS: '2000', ...environment }),
    logger,
  );
  await waitUntil(() => quota.readiness().ready, { what: 'quota to reach its store' });
  await using client = connectQuota({ addresses: [quota.address], deadlineMs: 2_000, logger });
  await client.ready();
  const request = { organization: 'a', limits: UNLIMITED, revision: REVISION, ...ONE_REQUEST };
  expect(await client.admit(request)).toMatchObject({ outcome: 'admitted' });
}

const missing = redisProgramMissing();
describe.skipIf(cannotRun('access to a guarded Redis', missing))(
  'a Redis with access control',
  () => {
    it('accepts a password in the address or in a setting', async () => {
      await using server = await startRedisProcess({ password: 'a b' });
      const place = `127.0.0.1:${server.port}`;
      await expectAdmission({ REDIS_URL: `redis://:a%20b@${place}` });
      await expectAdmission({ REDIS_URL: `redis://${place}`, REDIS_PASSWORD: 'a b' });
    });

    it('accepts a user with permissions for the keys of quota only', async () => {
      const rights =
        'user quota on >secret ~limits:* +@read +@write +@scripting +@connection -@dangerous +time +info';
      await using server = await startRedisProcess({ settings: [rights] });
      await expectAdmission({
        REDIS_URL: `redis://127.0.0.1:${server.port}`,
        REDIS_USERNAME: 'quota',
        REDIS_PASSWORD: 'secret',
        REDIS_KEY_PREFIX: 'limits:',
      });
    });

    it('is not logged as lost when this process disconnects', async () => {
      await using server = await startRedisProcess({});
      const lines: string[] = [];
      const destination = { write: (line: string) => void lines.push(line) };
      const connection = connectRedis(
        redisSettings(readQuotaSettings({ REDIS_URL: `redis://127.0.0.1:${server.port}` })),
        createLogger({ service: 'test', level: 'info', destination }),
      );
      await waitUntil(() => connection.usable, { what: 'Redis to be reached' });
      const ended = once(connection.redis, 'end');
      connection[Symbol.dispose]();
      await ended;
      expect(lines.filter((line) => line.includes('"level":"warn"'))).toEqual([]);
    });

    it('is not used with another database than the configured one', async () => {
      await using server = await startRedisProcess({ settings: ['databases 2'] });
      const address = `redis://127.0.0.1:${server.port}`;
      await expectAdmission({ REDIS_URL: `${address}/1` });
      const lines: string[] = [];
      const destination = { write: (line: string) => void lines.push(line) };
      const told = createLogger({ service: 'test', level: 'info', destination });
      await using elsewhere = await start(
        readQuotaSettings({ PORT: '0', REDIS_URL: `${address}/2` }),
        told,
      );
      expect(elsewhere.readiness().ready).toBe(false);
      expect(lines.filter((line) => line.includes('"reason":"database"'))).toHaveLength(1);
      expect(await ask(server.port, 'dbsize')).toBe(0);
    });

    it('is reached over TLS only if its certificate is trusted', async () => {
      const settings = [
        `tls-cert-file ${certificate}`,
        `tls-key-file ${key}`,
        `tls-ca-cert-file ${certificate}`,
        'tls-auth-clients no',
      ];
      await using server = await startRedisProcess({ settings, tlsPort: true });
      const address = { PORT: '0', REDIS_URL: `rediss://127.0.0.1:${server.tlsPort}` };
      await expectAdmission({ ...address, REDIS_CA_FILE: certificate });
      await using untrusting = await start(readQuotaSettings(address), logger);
      await waitUntil(() => untrusting.readiness().details['redis'] === 'reconnecting', {
        what: 'the certificate to be refused',
      });
      expect(untrusting.readiness().ready).toBe(false);
    });

    it('that requires client certificates receives one', async () => {
      const settings = [
        `tls-cert-file ${certificate}`,
        `tls-key-file ${key}`,
        `tls-ca-cert-file ${namedCertificate}`,
        'tls-auth-clients yes',
      ];
      await using server = await startRedisProcess({ settings, tlsPort: true });
      const trusted = {
        PORT: '0',
        REDIS_URL: `rediss://127.0.0.1:${server.tlsPort}`,
        REDIS_CA_FILE: certificate,
      };
      await expectAdmission({
        ...trusted,
        REDIS_CERT_FILE: namedCertificate,
        REDIS_KEY_FILE: namedKey,
      });
      await using nameless = await start(readQuotaSettings(trusted), logger);
      expect(nameless.readiness().ready).toBe(false);
    });

    it('in a cluster is verified by its host name', async () => {
      const settings = [
        `tls-cert-file ${namedCertificate}`,
        `tls-key-file ${namedKey}`,
        `tls-ca-cert-file ${namedCertificate}`,
        'tls-auth-clients no',
        'tls-cluster yes',
        'cluster-enabled yes',
        'cluster-announce-hostname localhost',
        'cluster-preferred-endpoint-type hostname',
      ];
      await using server = await startRedisProcess({ settings, tlsPort: true });
      await ask(server.port, 'cluster', 'addslotsrange', '0', '16383');
      await waitUntil(
        async () => String(await ask(server.port, 'cluster', 'info')).includes('cluster_state:ok'),
        { what: 'the cluster to be whole' },
      );
      await expectAdmission({
        REDIS_MODE: 'cluster',
        REDIS_URL: `rediss://localhost:${server.tlsPort}`,
        REDIS_CA_FILE: namedCertificate,
      });
    });
  },
);
