import { compose, docker, type ComposeProject } from './docker-compose.ts';

/** What runs a script of Node with some arguments in the network of a container, and gives its output. */
export type NetworkOf = (script: string, input: unknown) => Promise<string>;

/** The network of a container that runs. Its own image may hold no program to look around with: `image` has Node. */
export async function networkOf(
  project: ComposeProject,
  service: string,
  image: string,
): Promise<NetworkOf> {
  const id = await containerOf(project, service);
  const options = ['run', '--rm', '--network', `container:${id}`, '--entrypoint', 'node', image];
  return (script, input) => docker(...options, '--eval', script, JSON.stringify(input));
}

/** The network of the command, which has a container only while it runs. */
export function networkOfCommand(project: ComposeProject): NetworkOf {
  const options = ['run', '--rm', '--no-TTY', '--entrypoint', 'node', 'sluice'];
  return (script, input) => compose(project, [...options, '--eval', script, JSON.stringify(input)]);
}

/** A container has an address in each of its networks. */
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

/** Tries every target at once: the code of the failure, or CONNECTED, for each name in the order of the targets. */
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

/** What a server says to these lines, until it answers a ping or closes the connection. */
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
