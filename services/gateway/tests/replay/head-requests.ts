import {
  Completions,
  PLAIN,
  ROOT,
  raw,
  request,
  type KeyName,
  type Keys,
  type RecordedRequest,
} from './recorded-request.ts';

const PATHS = [
  '',
  '/',
  '/models',
  '/models/',
  '/models?limit=1',
  '/models/sluice-small',
  '/models/sluice-demo',
  '/models/suite/small',
  '/models/suite%2Fsmall',
  '/models/suite%2fsmall',
  '/models/suite%252Fsmall',
  '/models/suite/bare',
  '/models/suite/gone',
  '/models/nobody',
  '/models/%zz',
  '/models/a%20b',
  '/models/../models',
  '/models//sluice-small',
  '/Models',
  '/nothing',
  '/chat',
  '/chat/completions',
  '/chat/completions/',
  '/responses',
  '/embeddings',
  '/images/generations',
  '/audio/speech',
  '/files',
  '/batches',
  '/assistants',
  '/completions',
];
const METHODS = ['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY'];
const METHOD_PATHS = ['/models', '/models/sluice-small', '/chat/completions', '/nothing'];

const REFUSED_KEYS: readonly KeyName[] = [
  'waiting',
  'restricted',
  'inactive',
  'unpaid',
  'exhausted',
];

const CREDENTIALS: readonly (readonly [title: string, headers: readonly string[]])[] = [
  ['none', []],
  ['an empty one', ['authorization:']],
  ['Bearer alone', ['authorization: Bearer']],
  ['Bearer and a space', ['authorization: Bearer ']],
  ['Basic', ['authorization: Basic dTpw']],
  ['an unknown scheme', ['authorization: Token x']],
  ['a malformed key', ['authorization: Bearer sk-nothing']],
  ['a key of another kind', ['authorization: Bearer xy-nothing']],
  ['a broken playground token', ['authorization: Bearer pg-a.b.c']],
  ['two headers', ['authorization: Bearer a', 'authorization: Bearer b']],
  ['a very long one', [`authorization: Bearer sk-${'a'.repeat(4_000)}`]],
];

const CONTENT_TYPES = [
  'application/json; charset=utf-8',
  'application/json; charset="UTF-8"',
  'Application/JSON',
  'application/json; version=1',
  'application/json; charset=latin1',
  'application/json;',
  'application/jsonx',
  'application/ld+json',
  'text/plain',
  'text/json',
  'multipart/form-data; boundary=x',
  'json',
  '/',
  '*/*',
];

export function headRequests(keys: Keys): RecordedRequest[] {
  return [
    ...paths(keys),
    ...credentials(keys),
    ...contentTypes(keys),
    ...crossOrigin(keys),
    ...framing(keys),
  ];
}

function paths({ served }: Keys): RecordedRequest[] {
  const headers = [`authorization: Bearer ${served}`];
  return [
    ...PATHS.map((path) => request(`GET ${path}`, { path, headers })),
    ...METHODS.flatMap((method) =>
      METHOD_PATHS.map((path) => request(`${method} ${path}`, { method, path, headers })),
    ),
    ...PATHS.map((path) => request(`GET ${path} without a credential`, { path })),
  ];
}

function credentials(keys: Keys): RecordedRequest[] {
  const completion = JSON.stringify(PLAIN);
  const places = [
    { method: 'GET', path: '/models', body: '' },
    { method: 'GET', path: '/nothing', body: '' },
    { method: 'POST', path: '/chat/completions', body: completion },
  ];
  const refused = REFUSED_KEYS.map(
    (name) => [name, [`authorization: Bearer ${keys[name]}`]] as const,
  );
  const lowerCase = ['a lower-case scheme', [`authorization: bearer ${keys.served}`]] as const;
  return places.flatMap(({ method, path, body }) =>
    [...CREDENTIALS, ...refused, lowerCase].map(([title, headers]) =>
      request(
        `${method} ${path} with the credential: ${title}`,
        { method, path, headers: [...headers, 'content-type: application/json'] },
        body,
      ),
    ),
  );
}

function contentTypes({ served }: Keys): RecordedRequest[] {
  const authorization = `authorization: Bearer ${served}`;
  const send = (title: string, headers: readonly string[]) =>
    request(
      title,
      { method: 'POST', path: '/chat/completions', headers: [authorization, ...headers] },
      JSON.stringify(PLAIN),
    );
  return [
    send('no content type', []),
    ...CONTENT_TYPES.map((type) => send(`content type ${type}`, [`content-type: ${type}`])),
    send('gzip', ['content-type: application/json', 'content-encoding: gzip']),
    send('identity', ['content-type: application/json', 'content-encoding: identity']),
  ];
}

function crossOrigin({ served }: Keys): RecordedRequest[] {
  const origin = 'origin: https://app.example';
  const preflight = [origin, 'access-control-request-method: POST'];
  const names = 'access-control-request-headers: authorization, x-stainless-os';
  return [
    ...['/models', '/chat/completions', '/nothing'].flatMap((path) => [
      request(`preflight of ${path}`, { method: 'OPTIONS', path, headers: preflight }),
      request(`preflight of ${path} with headers`, {
        method: 'OPTIONS',
        path,
        headers: [...preflight, names],
      }),
      request(`a page's request for ${path}`, {
        path,
        headers: [origin, `authorization: Bearer ${served}`],
      }),
      request(`a page's request for ${path} without a credential`, { path, headers: [origin] }),
    ]),
    request('OPTIONS with an origin alone', { method: 'OPTIONS', headers: [origin] }),
  ];
}

function framing({ served }: Keys): RecordedRequest[] {
  const authorization = `authorization: Bearer ${served}`;
  const json = JSON.stringify(PLAIN);
  const { headers } = new Completions(served);
  const post = (...more: string[]) =>
    [
      `POST ${ROOT}/chat/completions HTTP/1.1`,
      'host: a',
      'connection: close',
      ...headers,
      ...more,
    ].join('\r\n');
  const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
  return [
    raw('bytes that are not HTTP', 'NONSENSE\r\n\r\n'),
    raw(
      'a header that is too large',
      `GET / HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`,
    ),
    raw('an address that is too long', `GET /${'y'.repeat(40_000)} HTTP/1.1\r\nhost: a\r\n\r\n`),
    raw('no Host', `GET ${ROOT}/models HTTP/1.1\r\nconnection: close\r\n\r\n`),
    raw(
      'two Hosts',
      `GET ${ROOT}/models HTTP/1.1\r\nhost: a\r\nhost: b\r\nconnection: close\r\n\r\n`,
    ),
    raw('an unknown expectation', 'GET / HTTP/1.1\r\nhost: a\r\nexpect: x\r\n\r\n'),
    raw(
      'two lengths',
      'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
    ),
    raw(
      'a length and chunks',
      'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n',
    ),
    raw('a negative length', 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: -1\r\n\r\n'),
    raw('an unknown coding', 'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: gzip\r\n\r\n'),
    raw('a space in a header name', 'GET / HTTP/1.1\r\nhost: a\r\nx y: z\r\n\r\n'),
    raw('a folded header', 'GET / HTTP/1.1\r\nhost: a\r\nx: y\r\n z\r\n\r\n'),
    raw('another version', 'GET / HTTP/3.7\r\nhost: a\r\n\r\n'),
    raw('the root', 'GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n'),
    raw('outside of the root', 'GET /v1/models HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n'),
    raw('the description', 'GET /openapi.json HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n'),
    raw(
      'HEAD of the description',
      'HEAD /openapi.json HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
    ),
    raw(
      'POST to the description',
      'POST /openapi.json HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
    ),
    raw(
      'an absolute target',
      `GET http://b.example${ROOT}/models HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${authorization}\r\n\r\n`,
    ),
    raw(
      'two requests on a connection',
      `GET ${ROOT}/models/sluice-small HTTP/1.1\r\nhost: a\r\n${authorization}\r\n\r\n` +
        `GET ${ROOT}/models/nobody HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${authorization}\r\n\r\n`,
    ),
    raw(
      'a completion and another request on a connection',
      `${post(`content-length: ${String(json.length)}`).replace('connection: close\r\n', '')}\r\n\r\n${json}` +
        `GET ${ROOT}/nothing HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${authorization}\r\n\r\n`,
    ),
    raw(
      'a body in chunks',
      `${post('transfer-encoding: chunked')}\r\n\r\n${chunk(json.slice(0, 20))}${chunk(json.slice(20))}0\r\n\r\n`,
    ),
    raw('a broken chunk', `${post('transfer-encoding: chunked')}\r\n\r\nxyz\r\n`),
    raw('an empty body', `${post('content-length: 0')}\r\n\r\n`),
    raw('a length that is too large', `${post('content-length: 99999999')}\r\n\r\n`),
    raw(
      'an expectation with a body that follows',
      `${post('expect: 100-continue', `content-length: ${String(json.length)}`)}\r\n\r\n${json}`,
    ),
    request('HTTP/1.0', { version: '1.0', headers: [authorization] }),
    request(
      'a completion in HTTP/1.0',
      { method: 'POST', path: '/chat/completions', version: '1.0', headers },
      json,
    ),
    request(
      'a stream in HTTP/1.0',
      { method: 'POST', path: '/chat/completions', version: '1.0', headers },
      JSON.stringify({ ...PLAIN, stream: true }),
    ),
  ];
}
