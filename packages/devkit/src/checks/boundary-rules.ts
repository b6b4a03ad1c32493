import type { IForbiddenRuleType } from 'dependency-cruiser';

const anyMember = '^(?:packages|services)/';
const tests = ['(?:\\.test|-fixture)\\.ts$', '^(?:packages|services)/[^/]+/tests/'];

// A technology names its adapter, by folder (src/http/…) or by file
// (src/redis-ledger.ts); everything else in a service but its roots is domain.
// The GPU runtime does so by folder alone: runtime-reply.ts is of what it says.
// run/ drives it, and knows it as an adapter does.
const technology = '(?:http|rpc|grpc|bus|nats|redis)';
const adapters = `^services/[^/]+/src/(?:|.+/)(?:${technology}(?:/|-[^/]+\\.ts$|\\.ts$)|runtime/|run/)`;
const roots = '^services/[^/]+/src/(?:main|start|config|readiness)\\.ts$';
const domain = '^services/([^/]+)/src/(?:|.+/)domain/';

const npmPackage = (name: string): string => `(?:^|node_modules/)${name}(?:/|$)`;

function onlyImporter(name: string, importers: string, packagePattern: string): IForbiddenRuleType {
  return {
    name,
    severity: 'error',
    from: { path: anyMember, pathNot: importers },
    to: { path: npmPackage(packagePattern) },
  };
}

/** Who may import whom; each rule has a violation in fixtures/boundaries. */
export const boundaryRules: IForbiddenRuleType[] = [
  {
    name: 'service-imports-service',
    comment: 'Services talk over gRPC and the bus, never by import.',
    severity: 'error',
    from: { path: '^services/([^/]+)/' },
    to: { path: ['^services/(?!$1/)'] },
  },
  {
    name: 'package-imports-service',
    comment: 'A package serves the services; it knows none of them.',
    severity: 'error',
    from: { path: '^packages/' },
    to: { path: '^services/' },
  },
  {
    name: 'import-past-index',
    comment: "A package is what its index.ts exports; the rest is the package's own.",
    severity: 'error',
    from: { path: '^(?:packages|services)/([^/]+)/' },
    to: { path: '^packages/(?!$1/)', pathNot: '^packages/[^/]+/src/index\\.ts$' },
  },
  {
    ...onlyImporter('nats-outside-bus', '^packages/bus/', '@nats-io'),
    comment: 'packages/bus is the only importer of the NATS client.',
  },
  {
    ...onlyImporter('grpc-outside-rpc', '^packages/rpc/', '@grpc'),
    comment: 'packages/rpc is the only importer of gRPC.',
  },
  {
    ...onlyImporter('redis-outside-quota', '^services/quota/', 'ioredis'),
    comment: 'services/quota is the only importer of ioredis.',
  },
  {
    name: 'contracts-import-more-than-zod',
    comment: 'The contracts are data: zod and the pure parts of Node, nothing that does I/O.',
    severity: 'error',
    from: { path: '^packages/contracts/src/', pathNot: tests },
    to: {
      pathNot: [
        '^\\.',
        '^packages/contracts/src/',
        npmPackage('zod'),
        '^(?:node:)?(?:buffer|crypto|zlib)$',
      ],
    },
  },
  {
    name: 'domain-imports-adapter',
    comment: 'Direction inside a service: main, start, adapters, domain, contracts.',
    severity: 'error',
    from: { path: '^services/[^/]+/src/', pathNot: [roots, adapters, ...tests] },
    to: { path: adapters },
  },
  {
    name: 'domain-imports-outwards',
    comment: 'Everything in a service knows its domain; the domain knows nothing but itself.',
    severity: 'error',
    from: { path: domain, pathNot: [adapters, ...tests] },
    to: { path: '^services/$1/src/', pathNot: ['/domain/', adapters, roots] },
  },
  {
    name: 'domain-imports-technology',
    comment: 'The domain says what it needs by a port of its own; adapters know the technology.',
    severity: 'error',
    from: { path: domain, pathNot: [adapters, ...tests] },
    to: {
      path: [
        '^packages/(?!(?:contracts|telemetry|timing)/)',
        npmPackage('(?:fastify|undici|ioredis)'),
      ],
    },
  },
  {
    name: 'import-against-the-direction',
    comment: 'Only main.ts imports start.ts, and nothing imports main.ts.',
    severity: 'error',
    from: { path: '^services/[^/]+/src/', pathNot: ['/src/main\\.ts$', ...tests] },
    to: { path: '^services/[^/]+/src/(?:main|start)\\.ts$' },
  },
  {
    name: 'product-imports-tests',
    comment: 'What ships does not depend on tests or on what only tests need.',
    severity: 'error',
    from: { path: anyMember, pathNot: [...tests, '^packages/(?:testkit|bench)/'] },
    to: { path: [...tests, '^packages/testkit/', npmPackage('(?:vitest|fast-check)')] },
  },
  {
    name: 'cycle',
    comment: 'Modules that import each other cannot be understood one at a time.',
    severity: 'error',
    from: { path: anyMember },
    to: { circular: true },
  },
  {
    name: 'unresolvable',
    comment: 'The import leads nowhere: a missing file, or a package that is not declared.',
    severity: 'error',
    from: { path: anyMember },
    to: { couldNotResolve: true },
  },
];
