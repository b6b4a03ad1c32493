import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listen } from '@sluice/service';

const PACKAGE = dirname(fileURLToPath(import.meta.resolve('openai')));

export interface PageSettings {
  readonly apiRoot: string;
  readonly apiKey: string;
}

/** Serves a page of another origin, which loads the openai package, and receives the report of the page. */
export class PageServer implements AsyncDisposable {
  readonly url: string;
  readonly #server: Server;
  /** The report of the page; undefined until it arrives. */
  report: unknown;

  private constructor(server: Server, url: string) {
    this.#server = server;
    this.url = url;
  }

  static async start(settings: PageSettings): Promise<PageServer> {
    const server = createServer();
    const pages = new PageServer(server, await listen(server, { host: '127.0.0.1', port: 0 }));
    server.on('request', (request, response) => void pages.#serve(request, response, settings));
    return pages;
  }

  async #serve(
    request: IncomingMessage,
    response: ServerResponse,
    settings: PageSettings,
  ): Promise<void> {
    const path = normalize(request.url ?? '/');
    if (path === '/report') {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece as Buffer);
      this.report = JSON.parse(Buffer.concat(pieces).toString('utf8'));
      response.end();
    } else if (path.startsWith('/openai/')) {
      const body = await readFile(join(PACKAGE, path.slice('/openai/'.length))).catch(
        () => undefined,
      );
      response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/javascript' });
      response.end(body);
    } else {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(`<!doctype html><script type="module">${script(settings)}</script>`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    await promise;
  }
}

/** The script of the page. It does everything that a browser may forbid to a page of another origin. */
function script({ apiRoot, apiKey }: PageSettings): string {
  return `
    const report = (value) => fetch('/report', { method: 'POST', body: JSON.stringify(value) });
    try {
      const { default: OpenAI } = await import('/openai/index.mjs');
      const client = new OpenAI({
        baseURL: ${JSON.stringify(apiRoot)},
        apiKey: ${JSON.stringify(apiKey)},
        dangerouslyAllowBrowser: true,
      });
      const messages = [{ role: 'user', content: 'Hello\\n@sim {"text": "Hello, page."}' }];
      const { data, response, request_id } = await client.chat.completions
        .create({ model: 'sluice-small', messages })
        .withResponse();
      const stream = await client.chat.completions.create({ model: 'sluice-small', messages, stream: true });
      let streamed = '';
      for await (const chunk of stream) streamed += chunk.choices[0]?.delta?.content ?? '';
      const refusal = await client.models.retrieve('nobody').catch((error) => error);
      await report({
        whole: data.choices[0].message.content,
        streamed,
        requestId: request_id,
        remaining: response.headers.get('x-ratelimit-remaining-requests'),
        retention: response.headers.get('service-data-retention'),
        refusal: { status: refusal.status, code: refusal.code, requestId: refusal.requestID },
        crossOrigin: new URL(${JSON.stringify(apiRoot)}).origin !== location.origin,
      });
    } catch (error) {
      await report({ failure: String(error) });
    }
  `;
}
