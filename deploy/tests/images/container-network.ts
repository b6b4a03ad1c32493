import { compose, docker, type ComposeProject } from './docker-compose.ts';

/** Runs a Node script with some arguments in the network of a container, and returns its output. */
export type NetworkOf = (script: string, input: unknown) => Promise<string>;

/** The network of a running container. The script runs in `image`, because the container itself may not have Node. */
export async function networkOf(
  project: ComposeProject,
  service: string,
  image: string,
): Promise<NetworkOf> {
  const id = await containerOf(project, service);
  const options = ['run', '--rm', '--network', `container:${id}`, '--entrypoint', 'node', image];
  return (script, input) => docker(...options, '--eval', script, JSON.stringify(input));
}

/** The network of the sluice command, which has a container only while it runs. */
export function networkOfCommand(project: ComposeProject): NetworkOf {
  const options = ['run', '--rm', '--no-TTY', '--entrypoint', 'node', 'sluice'];
  return (script, input) => compose(project, [...options, '--eval', script, JSON.stringify(input)]);
}

/** The addresses of a container, which has one in each of its networks. */
export async function addressesOf(project: ComposeProject, service: string): Promise<string[]> {
  const id = await containerOf(project, service);
  const format = '{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}';
  return (await docker('inspect', `--format=${format}`, id)).trim().split(' ');
}

export interface Target {
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

/** Connects to all targets at once. An outcome is CONNECTED, TIMEOUT or an error code, in the order of the targets. */
export async function connectFrom(
  network: NetworkOf,
  targets: readonly Target[],
): Promise<{ name: string; outcome: string }[]> {
  const script = `const outcomes = JSON.parse(process.argv[1]).map(({ name, host, port }) => {
      const tried = { name, outcome: 'TIMEOUT' };
      const socket = net.connect({ host, port });
      const end = (outcome) => { tried.outcome = outcome; socket.destroy(); };
      socket.setTimeout(3000, () => socket.destroy());
      socket.on('connect', () => end('CONNECTED')).on('error', ({ code }) => end(code));
      return tried;
    });
    process.on('exit', () => fs.writeSync(1, JSON.stringify(outcomes)));`;
  return JSON.parse(await network(script, targets)) as { name: string; outcome: string }[];
}

/** Sends lines to a server, and returns its output until it answers a ping or closes the connection. */
export async function askFrom(
  network: NetworkOf,
  server: Omit<Target, 'name'>,
  lines: readonly string[],
): Promise<string> {
  const script = `const { host, port, words } = JSON.parse(process.argv[1]);
    const socket = net.connect({ host, port }, () => socket.write(words));
    let heard = '';
    socket.setTimeout(5000, () => socket.destroy());
    socket.on('data', (data) => { heard += data; if (heard.includes('PONG')) socket.destroy(); });
    socket.on('close', () => fs.writeSync(1, heard));`;
  return network(script, { ...server, words: lines.map((line) => `${line}\r\n`).join('') });
}

async function containerOf(project: ComposeProject, service: string): Promise<string> {
  return (await compose(project, ['ps', '--quiet', service])).trim();
}
