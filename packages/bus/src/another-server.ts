import type { NodeConnectionOptions } from '@nats-io/transport-node';

type ChooseServer = NonNullable<NodeConnectionOptions['reconnectToServer']>;

/**
 * Where there are several servers, the next attempt is never at the same one. The client by itself returns to the
 * server that it has just lost first: where that one is frozen, or its machine is gone, only a time-out ends that.
 */
export function anotherServer(): ChooseServer {
  let last: string | undefined;
  return (servers) => {
    const next = servers.find(({ listen }) => listen !== last) ?? servers[0];
    last = next?.listen;
    return next ?? null;
  };
}
