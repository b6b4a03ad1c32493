import { randomBytes } from 'node:crypto';
import type { BackingKind } from '@sluice/servers';
import { afterAll, beforeAll } from 'vitest';
import type { Backend, OwnServer } from './backend.ts';
import { chooseBackend, openBackend } from './choose-backend.ts';
import { sharedServers } from './shared-servers.ts';

/** A real server that is shared with other test files. Use only names that contain the namespace. */
export interface ServerForTests {
  readonly url: string;
  /**
   * A name for this test file alone, of lower-case letters and digits. Use it in keys, subjects, buckets and
   * organizations.
   */
  readonly namespace: string;
}

/** A real server for this test file alone, which may be flushed, paused and killed. */
export interface OwnServerForTests extends ServerForTests, Omit<OwnServer, keyof AsyncDisposable> {}

/** Provides Redis for a test file. Call it at the top of the file, and use the server in hooks and tests. */
export function useRedis(options?: { own?: false }): ServerForTests;
export function useRedis(options: { own: true }): OwnServerForTests;
export function useRedis(options: { own?: boolean } = {}): ServerForTests {
  return useServer('redis', options.own ?? false);
}

/** Provides NATS with JetStream for a test file. Call it at the top of the file, and use it in hooks and tests. */
export function useNats(options?: { own?: false }): ServerForTests;
export function useNats(options: { own: true }): OwnServerForTests;
export function useNats(options: { own?: boolean } = {}): ServerForTests {
  return useServer('nats', options.own ?? false);
}

function useServer(kind: BackingKind, own: boolean): OwnServerForTests {
  const namespace = `test${randomBytes(6).toString('hex')}`;
  const shared = sharedServers();
  const sharedUrl = kind === 'redis' ? shared?.redisUrl : shared?.natsUrl;
  let server: OwnServer | undefined;
  const started = (): OwnServer => {
    if (server === undefined) {
      throw new Error(`${kind} starts in a hook: use it in a hook or a test`);
    }
    return server;
  };
  if (own || sharedUrl === undefined) {
    beforeAll(async () => {
      const backend = await backendOfThisRun();
      server = kind === 'redis' ? await backend.startRedis() : await backend.startNats();
    });
    afterAll(async () => {
      await server?.[Symbol.asyncDispose]();
    });
  }
  return {
    namespace,
    get url() {
      return own ? started().url : (sharedUrl ?? started().url);
    },
    kill: async () => started().kill(),
    terminate: async () => started().terminate(),
    restart: async () => started().restart(),
    pause: async () => started().pause(),
    resume: async () => started().resume(),
  };
}

async function backendOfThisRun(): Promise<Backend> {
  const shared = sharedServers();
  return shared === undefined
    ? chooseBackend(process.env)
    : openBackend(shared.backend, process.env);
}
