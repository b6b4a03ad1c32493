/** What a folder of a service may import. The packages contracts and service, and zod, are always allowed. */
interface FolderRule {
  /** Other folders of its service, and files beside `start.ts`. */
  readonly folders?: readonly string[];
  /** Packages from `TECHNOLOGIES`. */
  readonly technologies?: readonly string[];
}

/**
 * The folders of each service, and what each may import. A folder may import only folders that are above it in its
 * table, so that there are no cycles. `config` and `readiness` are files beside `start.ts`. `main` and `start` may
 * import everything.
 */
export const serviceFolders: Readonly<Record<string, Readonly<Record<string, FolderRule>>>> = {
  gateway: {
    config: { technologies: ['@sluice/bus', '@sluice/rpc'] },
    access: { technologies: ['@sluice/bus', '@sluice/rpc'] },
    fleet: { technologies: ['@sluice/bus'] },
    request: { folders: ['access'] },
    edge: { folders: ['access', 'request'], technologies: ['fastify'] },
    admission: { folders: ['access', 'edge'] },
    dispatch: { folders: ['access', 'request', 'fleet'], technologies: ['@sluice/bus'] },
    record: { folders: ['request', 'edge', 'dispatch'], technologies: ['@sluice/bus'] },
    reply: { folders: ['edge', 'dispatch'] },
    routes: {
      folders: ['config', 'access', 'request', 'edge', 'admission', 'dispatch', 'record', 'reply'],
      technologies: ['@sluice/bus', 'fastify'],
    },
    readiness: { folders: ['edge', 'fleet', 'dispatch'] },
  },
  worker: {
    identity: {},
    json: {},
    attempt: { folders: ['identity'] },
    dialects: { folders: ['json', 'attempt'] },
    config: { folders: ['dialects'], technologies: ['@sluice/bus'] },
    stream: {
      folders: ['json', 'attempt', 'dialects'],
      technologies: ['@sluice/bus'],
    },
    cache: { folders: ['json'], technologies: ['@msgpack/msgpack'] },
    verify: {
      folders: ['json', 'attempt', 'dialects', 'stream'],
      technologies: ['@cfworker/json-schema', 'ajv'],
    },
    translation: { folders: ['attempt', 'dialects'] },
    schedule: { folders: ['attempt'] },
    runtime: {
      folders: ['json', 'attempt', 'dialects', 'stream', 'schedule'],
      technologies: ['undici'],
    },
    run: {
      folders: ['attempt', 'dialects', 'stream', 'verify', 'translation', 'schedule', 'runtime'],
    },
    intake: {
      folders: ['identity', 'attempt', 'cache', 'stream', 'schedule', 'runtime'],
      technologies: ['@sluice/bus'],
    },
    readiness: {
      folders: ['identity', 'cache', 'schedule', 'runtime', 'intake'],
      technologies: ['@sluice/bus'],
    },
  },
  quota: {
    config: { technologies: ['@sluice/rpc'] },
    limiter: {},
    redis: { folders: ['config', 'limiter'], technologies: ['ioredis'] },
    rpc: { folders: ['limiter'], technologies: ['@sluice/rpc'] },
  },
  catalog: {
    model: {},
    changes: { folders: ['model'] },
    config: { folders: ['changes'], technologies: ['@sluice/bus', '@sluice/rpc'] },
    lookups: { folders: ['model', 'changes'] },
    store: { folders: ['model'], technologies: ['@sluice/bus'] },
    rpc: { folders: ['config', 'model', 'changes', 'lookups'], technologies: ['@sluice/rpc'] },
    console: { folders: ['model', 'changes', 'lookups', 'rpc'], technologies: ['@sluice/rpc'] },
  },
  usage: {
    store: { technologies: ['@electric-sql/pglite', 'pg', 'pg-copy-streams'] },
    config: { folders: ['store'], technologies: ['@sluice/bus', '@sluice/rpc'] },
    ledger: { folders: ['store'], technologies: ['@sluice/bus'] },
    queries: { folders: ['store'] },
    webhooks: { folders: ['store'] },
    budgets: { folders: ['store', 'ledger', 'webhooks'], technologies: ['@sluice/rpc'] },
    rpc: {
      folders: ['store', 'queries', 'webhooks', 'budgets'],
      technologies: ['@sluice/rpc'],
    },
  },
  console: {
    config: { technologies: ['@sluice/bus', '@sluice/rpc'] },
    api: {},
    session: { technologies: ['jose', 'openid-client'] },
    fleet: { folders: ['api'], technologies: ['@sluice/bus'] },
    answers: { folders: ['api', 'session', 'fleet'], technologies: ['@sluice/rpc'] },
    edge: {
      folders: ['api', 'session', 'answers'],
      technologies: ['@sluice/rpc', '@fastify', 'fastify'],
    },
  },
};

/** Packages that do I/O or wrap a technology. A folder may import one only if the table above lists it for the folder. */
export const TECHNOLOGIES = [
  '@cfworker/json-schema',
  '@electric-sql/pglite',
  '@fastify',
  '@msgpack/msgpack',
  '@sluice/bus',
  '@sluice/rpc',
  'ajv',
  'fastify',
  'ioredis',
  'jose',
  'openid-client',
  'pg',
  'pg-copy-streams',
  'undici',
] as const;
