import { glob, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readReleases } from '@sluice/devkit/versions';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { namedBy, readDockerfile, textsOf, type Stage } from './read-dockerfile.ts';
import { PROGRAMS, readText, ROOT, settingsOf } from './repository.ts';

const dockerfile = readDockerfile(await readText('deploy/Dockerfile'));
const toolchain = await readText('deploy/bootstrap/toolchain.sh');

const Manifest = z.object({
  name: z.string(),
  version: z.string(),
  description: z.string(),
  license: z.string(),
  engines: z.object({ node: z.string() }).optional(),
  dependencies: z.record(z.string(), z.string()).default({}),
});

/** The versions in the changelog, the newest first. */
async function changelogVersions(): Promise<string[]> {
  const text = await readText('CHANGELOG.md');
  return Array.from(text.matchAll(/^## \[(\d[^\]]*)\]/gm), ([, version = '']) => version);
}

async function manifestOf(folder: string): Promise<z.infer<typeof Manifest>> {
  return Manifest.parse(JSON.parse(await readText(join(folder, 'package.json'))));
}

/** The folders of a program and of the workspace members that it depends on. */
async function membersOf(folder: string): Promise<string[]> {
  const { dependencies } = await manifestOf(folder);
  const names = Object.keys(dependencies).filter((name) => name.startsWith('@sluice/'));
  const members = await Promise.all(
    names.map((name) => membersOf(name.replace('@sluice/', 'packages/'))),
  );
  return [folder, ...members.flat()];
}

function stage(name: string): Stage {
  const found = dockerfile.stages.get(name);
  if (found === undefined) throw new Error(`deploy/Dockerfile has no stage ${name}`);
  return found;
}

function portsOf(image: string): string[] {
  return textsOf(stage(image).all, 'EXPOSE').flatMap((text) => text.split(' '));
}

test('every service has its own image', async () => {
  const services = await readdir(join(ROOT, 'services'));
  expect(Object.values(PROGRAMS)).toEqual(
    expect.arrayContaining(services.map((name) => `services/${name}`)),
  );
});

test('Node is of the version that the repository asks for', async () => {
  const { engines } = await manifestOf('.');
  const major = /^node:(\d+)-/.exec(dockerfile.globals['NODE_IMAGE'] ?? '')?.[1];
  const minimum = /\nnode_minimum=(\S+)\n/.exec(toolchain)?.[1];
  expect(engines?.node).toBe(`>=${minimum}`);
  expect(minimum?.split('.', 1)).toEqual([major]);
});

test('pnpm has the version of the bootstrap', () => {
  const { PNPM_VERSION } = namedBy(stage('toolchain').own, 'ARG');
  expect(toolchain).toContain(`\npnpm_version=${PNPM_VERSION}\n`);
});

test('the version is that of the repository unless another is given', async () => {
  const { version, license } = await manifestOf('.');
  expect(namedBy(stage('program').own, 'ARG')['VERSION']).toBe(version);
  expect(namedBy(stage('program').own, 'LABEL')['org.opencontainers.image.licenses']).toBe(license);
});

test('every package has the version of the repository, and the changelog has an entry for it', async () => {
  const { version } = await manifestOf('.');
  const versions = new Set<string>();
  for await (const path of glob('{packages,services}/*/package.json', { cwd: ROOT })) {
    versions.add((await manifestOf(dirname(path))).version);
  }
  expect([...versions]).toEqual([version]);
  expect(await changelogVersions()).toContain(version);
});

test('every release before this version has a commit', async () => {
  const { version } = await manifestOf('.');
  const named = readReleases()
    .map((release) => release.version)
    .filter((one) => one !== version);
  const earlier = (await changelogVersions()).filter((one) => one !== version);
  expect(named).toEqual(earlier.toReversed());
});

test('only what images are made of is sent to the builder', async () => {
  const lines = (await readText('.dockerignore')).split('\n');
  const [first, ...patterns] = lines.filter((line) => line !== '' && !line.startsWith('#'));
  expect(first).toBe('*');
  const lastLetIn = patterns.findLastIndex((pattern) => pattern.startsWith('!'));
  const leftOut = patterns.slice(lastLetIn + 1);
  const needed = new Set((await Promise.all(Object.values(PROGRAMS).map(membersOf))).flat());
  // Only folders with a manifest: a removed package leaves a folder with installed dependencies behind.
  const packages: string[] = [];
  for await (const path of glob('packages/*/package.json', { cwd: ROOT })) {
    packages.push(dirname(path));
  }
  const useless = packages.filter((folder) => !needed.has(folder));
  expect(leftOut.toSorted()).toEqual(
    [
      '**/node_modules',
      '**/.env',
      '**/*.test.ts',
      '**/*-fixture.ts',
      'services/console/web/dist',
      ...useless.map((folder) => `${folder}/src`),
    ].toSorted(),
  );
  for (const pattern of patterns.slice(0, lastLetIn + 1)) {
    expect(pattern).toMatch(
      /^!(?:pack|pnpm-|packages\/|services\/|proto$|deploy\/image$|tsconfig\.json$|docs\/errors\.md$)/,
    );
  }
});

describe.each(Object.entries(PROGRAMS))('the image %s', (image, folder) => {
  test('holds what its program depends on, and runs it', async () => {
    const { name } = await manifestOf(folder);
    expect(name).toBe(`@sluice/${image}`);
    expect(textsOf(stage(`${image}-dependencies`).own, 'RUN')).toEqual([
      expect.stringMatching(new RegExp(` sh /image/install-member\\.sh ${image}$`)),
    ]);
    expect(textsOf(stage(`${image}-sources`).own, 'RUN')).toEqual([
      'sh /image/copy-sources.sh /repository /sources',
    ]);
    expect(textsOf(stage(`${image}-compiled`).own, 'RUN')).toEqual([
      `sh /image/compile.sh ${folder}`,
    ]);
    expect(textsOf(stage(image).own, 'COPY')).toEqual([
      `--from=${image}-dependencies /sluice ./`,
      `--from=${image}-sources /sources ./`,
      `--from=${image}-compiled /sluice/.compile-cache ./.compile-cache`,
      // The folder of a volume for the embedded database.
      ...(image === 'usage' ? ['--from=usage-data --chown=1000:1000 /data /data'] : []),
      ...(image === 'console' ? ['--from=console-pages /pages ./services/console/web/dist'] : []),
    ]);
    // Without a shell, which would not pass signals on to the program.
    expect(textsOf(stage(image).all, 'ENTRYPOINT')).toEqual([
      `["node", "/sluice/${folder}/src/main.ts"]`,
    ]);
    expect(textsOf(stage(image).all, 'CMD')).toEqual([]);
  });

  test('runs as a user without rights and ends by the signal that drains', () => {
    expect(textsOf(stage(image).all, 'USER')).toEqual(['1000:1000']);
    expect(textsOf(stage(image).all, 'STOPSIGNAL')).toEqual(['SIGTERM']);
  });

  test('has labels that describe it', async () => {
    const { description } = await manifestOf(folder);
    const labels = namedBy(stage(image).all, 'LABEL');
    expect(labels['org.opencontainers.image.description']).toBe(description);
    expect(labels['org.opencontainers.image.title']).toMatch(/^Sluice \w+$/);
  });

  test('sets only settings of its program and of Node', async () => {
    const settings = Object.keys(await settingsOf(image));
    const names = Object.keys(namedBy(stage(image).all, 'ENV'));
    expect([...settings, 'NODE_ENV', 'NODE_COMPILE_CACHE']).toEqual(expect.arrayContaining(names));
  });

  test('listens beyond its loopback, on the ports that it exposes', async () => {
    const given = namedBy(stage(image).all, 'ENV');
    const settings = { ...(await settingsOf(image)), ...given };
    const names = Object.keys(settings);
    // WORKER_HOST is a name to show, not an address to listen on.
    const hosts = names.filter((name) => /^(?!WORKER_)(?:\w+_)?HOST$/.test(name));
    for (const host of hosts) expect(given[host]).toBe('0.0.0.0');
    const ports = names.filter((name) => /^(?:\w+_)?PORT$/.test(name));
    expect(portsOf(image).toSorted()).toEqual(
      ports.map((name) => String(settings[name])).toSorted(),
    );
  });
});

test.each(['gateway', 'quota', 'catalog', 'usage', 'console', 'worker'])(
  '%s is healthy when it is ready',
  (image) => {
    expect(textsOf(stage(image).all, 'HEALTHCHECK').at(-1)).toContain('HEALTH_PORT}/readyz`');
  },
);
