import { randomBytes } from 'node:crypto';
import { LOOPBACK } from './loopback-port.ts';

export type ContainerOptions = {
  readonly image: string;
  readonly port: number;
  readonly containerPort: number;
  readonly dataFolder: string;
  readonly settingsFile: string;
  readonly parameters: readonly string[];
};

export const CONTAINER_DATA = '/data';
export const CONTAINER_SETTINGS = '/etc/sluice-server.conf';

export type DockerCommand = {
  readonly program: string;
  readonly parameters: readonly string[];
  readonly killCommand: readonly string[];
};

/**
 * A container in the foreground, gone when it ends. It runs as this user, so
 * that the data folder stays ours to read and remove.
 */
export function dockerCommand(options: ContainerOptions): DockerCommand {
  const name = `sluice-${randomBytes(6).toString('hex')}`;
  const user = `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;
  return {
    program: 'docker',
    parameters: [
      'run',
      '--rm',
      '--init',
      `--name=${name}`,
      `--user=${user}`,
      `--publish=${LOOPBACK}:${options.port}:${options.containerPort}`,
      `--mount=type=bind,source=${options.dataFolder},target=${CONTAINER_DATA}`,
      `--mount=type=bind,source=${options.settingsFile},target=${CONTAINER_SETTINGS},readonly`,
      options.image,
      ...options.parameters,
    ],
    killCommand: ['docker', 'kill', name],
  };
}
