import { lookup, type LookupAddress } from 'node:dns';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';

export interface WebhookPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether the receiver may be in a private network, and without TLS. */
  readonly privateNetworks: boolean;
}

const TIMEOUT_MS = 10_000;

/** Posts a message. Rejects unless the receiver answers with a status of success. Redirects are not followed. */
export async function postWebhook(post: WebhookPost): Promise<void> {
  const { headers, body, privateNetworks } = post;
  const url = new URL(post.url);
  if (!privateNetworks) refusePrivate(url);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const request = send(url, {
    method: 'POST',
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    // Messages are rare, so no connection is kept open.
    agent: false,
    ...(privateNetworks ? {} : { lookup: lookupPublic }),
  });
  request.on('error', reject);
  request.on('response', (response) => {
    // The body of the response is not used, and may be long.
    response.destroy();
    resolve(response.statusCode ?? 0);
  });
  request.end(body);
  const status = await promise;
  if (status < 200 || status > 299) throw new Error(`the receiver answered with status ${status}`);
}

/**
 * Private, local and reserved networks. Owners of organizations choose the addresses of webhooks, and must not reach
 * the services of the operator with them: https://owasp.org/www-community/attacks/Server_Side_Request_Forgery
 */
const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  PRIVATE.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  ['::', 127],
  ['64:ff9b::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  PRIVATE.addSubnet(network, prefix, 'ipv6');
}

export function isPublicAddress(address: string): boolean {
  return !PRIVATE.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** An IP address in the URL is not looked up, so `lookupPublic` does not see it. It is checked here. */
function refusePrivate({ protocol, hostname }: URL): void {
  if (protocol !== 'https:') throw new Error('the receiver must be an https address');
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0 && !isPublicAddress(address)) throw privateAddress();
}

/**
 * Removes private addresses from the result of the look-up that the connection itself uses. A look-up before the
 * connection could have another result.
 */
const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const found: LookupAddress[] = error === null ? addresses : [];
    const allowed = found.filter(({ address }) => isPublicAddress(address));
    const [first] = allowed;
    if (error !== null) callback(error, []);
    else if (first === undefined) callback(privateAddress(), []);
    else if (options.all === true) callback(null, allowed);
    else callback(null, first.address, first.family);
  });
};

function privateAddress(): Error {
  return new Error('the receiver is in a private network; WEBHOOK_PRIVATE_NETWORKS would allow it');
}
