import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ExampleApi extends AsyncDisposable {
  readonly url: string;
  /** The bodies of the requests so far. */
  readonly requests: readonly Record<string, unknown>[];
  /** How many clients disconnected before the end of their answer. */
  readonly abandoned: () => number;
}

export interface ExampleReply {
  readonly reasoning?: string;
  readonly content?: string;
  readonly toolCall?: { readonly name: string; readonly arguments: string };
  readonly error?: { readonly status: number; readonly code: string; readonly message: string };
  /** The answer never ends by itself. */
  readonly endless?: boolean;
}

const headers = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'authorization, content-type',
  'access-control-expose-headers':
    'x-request-id, x-ratelimit-remaining-requests, service-data-retention',
  'x-request-id': 'req_000004',
  'x-ratelimit-remaining-requests': '511',
  'service-data-retention': 'zero',
};

/** A public API whose answers are given by the test. */
export async function startExampleApi(
  replyTo: (body: Record<string, unknown>) => ExampleReply,
): Promise<ExampleApi> {
  const requests: Record<string, unknown>[] = [];
  let abandoned = 0;
  const server = createServer((request, response) => {
    void (async () => {
      if (request.method === 'OPTIONS') {
        response.writeHead(204, headers).end();
        return;
      }
      const body = await readBody(request);
      requests.push(body);
      const { reasoning, content = '', toolCall, error, endless } = replyTo(body);
      if (error !== undefined) {
        const { status, code, message } = error;
        response.writeHead(status, { ...headers, 'content-type': 'application/json' });
        response.end(JSON.stringify({ error: { message, type: 'api_error', param: null, code } }));
        return;
      }
      response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' });
      response.on('close', () => {
        if (!response.writableFinished) abandoned += 1;
      });
      const send = (choice: object): void => {
        response.write(`data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`);
      };
      if (reasoning !== undefined) send({ delta: { reasoning_content: reasoning } });
      for (const word of content.split(/(?<= )/)) send({ delta: { content: word } });
      if (endless === true) return;
      if (toolCall !== undefined) {
        const { name, arguments: text } = toolCall;
        send({
          delta: { tool_calls: [{ index: 0, id: 'call_1', function: { name, arguments: '' } }] },
        });
        send({ delta: { tool_calls: [{ index: 0, function: { arguments: text } }] } });
      }
      send({ delta: {}, finish_reason: toolCall === undefined ? 'stop' : 'tool_calls' });
      const usage = {
        prompt_tokens: 24,
        completion_tokens: 96,
        completion_tokens_details: { reasoning_tokens: 31 },
      };
      response.write(`data: ${JSON.stringify({ choices: [], usage })}\n\n`);
      response.end('data: [DONE]\n\n');
    })();
  });
  const listening = Promise.withResolvers<undefined>();
  server.listen(0, '127.0.0.1', () => listening.resolve(undefined));
  await listening.promise;
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    abandoned: () => abandoned,
    [Symbol.asyncDispose]: async () => {
      const closed = Promise.withResolvers<undefined>();
      server.close(() => closed.resolve(undefined));
      server.closeAllConnections();
      await closed.promise;
    },
  };
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = '';
  for await (const piece of request) text += String(piece);
  return JSON.parse(text) as Record<string, unknown>;
}
