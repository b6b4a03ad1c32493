import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ServiceProcess } from '@sluice/devkit';
import { findFreePort } from '@sluice/servers';
import * as z from 'zod';
import { environmentOf, podsOf, type Container, type Manifest } from './manifest.ts';

const root = join(import.meta.dirname, '../../..');
const run = promisify(execFile);

/** The main container of a pod of the chart. */
export function containerOf(manifests: readonly Manifest[], pod: string): Container {
  const container = podsOf(manifests).get(pod)?.spec.containers[0];
  if (container === undefined) throw new Error(`there is no ${pod}`);
  return container;
}

/** Paths on this machine for the keys of Secrets that the chart does not create. */
export type SecretFiles = Readonly<Record<string, Readonly<Record<string, string>>>>;

const SecretVolume = z.looseObject({ secret: z.object({ secretName: z.string() }) });

/** The environment of a container, with files of this machine in place of those that its pod would mount. */
export function environmentHere(
  manifests: readonly Manifest[],
  pod: string,
  files: SecretFiles,
): Record<string, string> {
  const container = containerOf(manifests, pod);
  const volumes = podsOf(manifests).get(pod)?.spec.volumes ?? [];
  const here = new Map<string, string>();
  for (const { name, mountPath } of container.volumeMounts) {
    const volume = SecretVolume.safeParse(volumes.find((one) => one.name === name));
    const kept = files[volume.data?.secret.secretName ?? ''] ?? {};
    for (const [key, path] of Object.entries(kept)) here.set(`${mountPath}/${key}`, path);
  }
  const environment = Object.entries(environmentOf(container, manifests));
  return Object.fromEntries(environment.map(([name, value]) => [name, here.get(value) ?? value]));
}

export interface ContainerOptions {
  readonly manifests: readonly Manifest[];
  /** The name of the pod, or the name of its Deployment. */
  readonly pod: string;
  /** Replaces variables of the chart: addresses, and ports, because all containers run on one machine. */
  readonly instead?: Readonly<Record<string, string>>;
  readonly files?: SecretFiles;
}

/** Starts a service in the environment of its container, and waits until its readiness probe succeeds. */
export async function startContainer({
  manifests,
  pod,
  instead,
  files = {},
}: ContainerOptions): Promise<ServiceProcess> {
  const container = containerOf(manifests, pod);
  const healthPort = String(await findFreePort());
  const environment = environmentHere(manifests, pod, files);
  return ServiceProcess.start({
    name: container.name,
    entry: `services/${container.name}/src/main.ts`,
    settings: { ...environment, ...instead, HEALTH_PORT: healthPort },
    readyUrl: `http://${environment['HEALTH_HOST']}:${healthPort}${container.readinessProbe?.httpGet.path}`,
  });
}

/** Runs Node with these parameters until it ends, and returns its output. */
export async function runNode(
  parameters: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { stdout } = await run(process.execPath, parameters, {
    cwd: root,
    env: { ...process.env, ...environment },
  });
  return stdout;
}
