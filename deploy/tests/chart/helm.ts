import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { findOnPath } from '@sluice/devkit';
import { parseAllDocuments } from 'yaml';
import { CHART_FOLDER } from './chart-files.ts';
import { Manifest } from './manifest.ts';

const program = findOnPath(['helm'], process.env);

/** Without a cluster, Helm assumes the version of Kubernetes that it was built with. */
const KUBERNETES_VERSION = '1.31.0';
const RELEASE = 'acme';
const COMMON = ['--namespace', 'tenants', '--kube-version', KUBERNETES_VERSION, '--values', '-'];

export function helmMissing(): string | undefined {
  return program === undefined ? 'there is no Helm on the PATH' : undefined;
}

/** The manifests of a release in the namespace tenants, including hooks and tests. */
export async function renderChart(values: object, release = RELEASE): Promise<Manifest[]> {
  return manifestsIn(await template(values, { release }));
}

/** The manifests of a chart that has this chart as a dependency, with the usual condition `enabled`. */
export async function renderDependency(values: object): Promise<Manifest[]> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-chart-'));
  try {
    const dependency = { name: 'sluice', version: '>=0', condition: 'sluice.enabled' };
    const parent = {
      apiVersion: 'v2',
      name: 'parent',
      version: '1.0.0',
      dependencies: [dependency],
    };
    await writeFile(join(folder, 'Chart.yaml'), JSON.stringify(parent));
    await cp(CHART_FOLDER, join(folder, 'charts/sluice'), { recursive: true });
    return manifestsIn(await template({ sluice: values }, { folder }));
  } finally {
    await rm(folder, { recursive: true });
  }
}

function manifestsIn({ exitCode, output, errorOutput }: HelmResult): Manifest[] {
  if (exitCode !== 0) throw new Error(errorOutput);
  // Kubernetes reads YAML 1.1, where `off` without quotes is a boolean.
  const documents = parseAllDocuments(output, { version: '1.1' });
  return documents.map((document) => {
    const [mistake] = document.errors;
    if (mistake !== undefined) throw mistake;
    return Manifest.parse(document.toJS());
  });
}

/** The error with which Helm refuses these values. */
export async function refusalOf(values: object, release = RELEASE): Promise<string> {
  const { exitCode, errorOutput } = await template(values, { release });
  if (exitCode === 0) throw new Error('Helm accepted these values');
  return errorOutput;
}

/** The findings of `helm lint --strict`, where a warning counts as an error. */
export async function lintFindings(values: object): Promise<string[]> {
  const { output } = await run(['lint', CHART_FOLDER, '--strict'], values);
  const lines = output.split('\n');
  if (!lines.some((line) => line.startsWith('1 chart(s) linted'))) throw new Error(output);
  return lines.filter((line) => /^\[(?:WARNING|ERROR)\]/.test(line));
}

interface HelmResult {
  readonly exitCode: number | null;
  readonly output: string;
  readonly errorOutput: string;
}

function template(
  values: object,
  { folder = CHART_FOLDER, release = RELEASE },
): Promise<HelmResult> {
  return run(['template', release, folder], values);
}

async function run(parameters: readonly string[], values: object): Promise<HelmResult> {
  if (program === undefined) throw new Error(helmMissing());
  const child = spawn(program, [...parameters, ...COMMON]);
  const ended = once(child, 'close');
  // JSON is valid YAML, and quotes every text, so that no text is parsed as another type.
  child.stdin.end(JSON.stringify(values));
  const [output, errorOutput] = await Promise.all([text(child.stdout), text(child.stderr)]);
  await ended;
  return { exitCode: child.exitCode, output, errorOutput };
}
