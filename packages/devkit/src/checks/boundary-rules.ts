import type { IForbiddenRuleType } from 'dependency-cruiser';
import { TECHNOLOGIES, serviceFolders } from './service-folders.ts';

const anyMember = '^(?:packages|services|deploy)/';
const tests = ['(?:\\.test|-fixture)\\.ts$', '^(?:(?:packages|services)/[^/]+|deploy)/tests/'];

const npmPackage = (name: string): string => `(?:^|node_modules/)${name}(?:/|$)`;

function onlyImporter(name: string, importers: string, packagePattern: string): IForbiddenRuleType {
  return {
    name,
    severity: 'error',
    from: { path: anyMember, pathNot: importers },
    to: { path: npmPackage(packagePattern) },
  };
}

/** Matches the files of a folder of a service, or the file with this name beside `start.ts`. */
const folderPath = (service: string, folder: string): string =>
  `^services/${service}/src/${folder}(?:/|\\.ts$)`;

/** The rules that follow from one row of service-folders.ts. */
function folderRules(service: string, folder: string): IForbiddenRuleType[] {
  const { folders = [], technologies = [] } = serviceFolders[service]?.[folder] ?? {};
  const from = { path: folderPath(service, folder), pathNot: tests };
  const otherTechnologies = TECHNOLOGIES.filter((name) => !technologies.includes(name));
  return [
    {
      name: 'folder-imports-upwards',
      comment:
        'A folder of a service may import only the folders that service-folders.ts lists for it.',
      severity: 'error',
      from,
      to: {
        path: `^services/${service}/src/`,
        pathNot: [folder, ...folders, 'main', 'start'].map((name) => folderPath(service, name)),
      },
    },
    {
      name: 'folder-imports-technology',
      comment: 'Only the folders that service-folders.ts names may import this technology.',
      severity: 'error',
      from,
      // A technology is an npm package, or a package of this workspace. Only one of the two patterns can match it.
      to: { path: otherTechnologies.flatMap((name) => [npmPackage(name), memberPath(name)]) },
    },
  ];
}

/** The path of the source of a package of the workspace. */
const memberPath = (name: string): string => `${name.replace(/^@sluice\//, '^packages/')}/src/`;

/**
 * The forbidden imports. In the pattern of `to`, `$1` is what the first group of `from` matched. The folder
 * `fixtures/boundaries` has a violation of each rule.
 */
export const boundaryRules: IForbiddenRuleType[] = [
  {
    name: 'service-imports-service',
    comment: 'Services communicate over gRPC and the bus, and never import each other.',
    severity: 'error',
    from: { path: '^services/([^/]+)/' },
    to: { path: ['^services/(?!$1/)'] },
  },
  {
    name: 'package-imports-service',
    comment: 'A package must not import a service.',
    severity: 'error',
    from: { path: '^(?:packages|deploy)/' },
    to: { path: '^services/' },
  },
  {
    name: 'import-past-index',
    comment:
      'Other packages may import only the index.ts of a package, and the few files that are loaded on their own.',
    severity: 'error',
    from: { path: '^(?:packages|services|deploy)/([^/]+)/' },
    to: {
      path: '^packages/(?!$1/)',
      pathNot: '^packages/[^/]+/src/(?:(?:(?:pauses|versions)/)?index|yield-to-main-thread)\\.ts$',
    },
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
    ...onlyImporter(
      'sql-outside-usage',
      '^services/usage/',
      '(?:pg|pg-copy-streams|@electric-sql/pglite)',
    ),
    comment: 'services/usage is the only importer of the clients of PostgreSQL.',
  },
  {
    name: 'contracts-import-more-than-zod',
    comment: 'The contracts may import zod and the parts of Node without I/O, and nothing else.',
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
  ...Object.entries(serviceFolders).flatMap(([service, folders]) =>
    Object.keys(folders).flatMap((folder) => folderRules(service, folder)),
  ),
  ...Object.entries(serviceFolders).map(([service, folders]): IForbiddenRuleType => ({
    name: 'folder-outside-the-table',
    comment: 'Every folder of a service must be listed in service-folders.ts.',
    severity: 'error',
    from: {
      path: `^services/${service}/src/`,
      pathNot: [
        ...[...Object.keys(folders), 'main', 'start'].map((name) => folderPath(service, name)),
        ...tests,
      ],
    },
    to: {},
  })),
  {
    name: 'import-against-the-direction',
    comment: 'Only main.ts imports start.ts, and nothing imports main.ts.',
    severity: 'error',
    from: { path: '^services/[^/]+/src/', pathNot: ['/src/main\\.ts$', ...tests] },
    to: { path: '^services/[^/]+/src/(?:main|start)\\.ts$' },
  },
  {
    name: 'product-imports-tests',
    comment: 'Shipped code must not depend on tests, or on packages that only tests need.',
    severity: 'error',
    from: { path: anyMember, pathNot: [...tests, '^packages/(?:devkit|bench)/'] },
    to: { path: [...tests, '^packages/devkit/', npmPackage('(?:vitest|fast-check)')] },
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
    comment: 'The import cannot be resolved: the file is missing, or the package is not declared.',
    severity: 'error',
    from: { path: anyMember },
    to: { couldNotResolve: true },
  },
];
