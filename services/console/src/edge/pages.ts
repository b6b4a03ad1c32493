import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { fastifyStatic } from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ConsoleError } from '../answers/console-error.ts';

const INDEX = 'index.html';
/** Vite puts a hash of the content into the names of these files, so they can be cached without a limit of time. */
const HASHED_FILE = /\/assets\/[^/]+$/;

const NOT_BUILT = `<!doctype html>
<html lang="en">
<title>Console</title>
<meta http-equiv="refresh" content="2">
<p>The pages of the console are being built. This page reloads by itself.</p>
</html>
`;

/**
 * Serves the built files. For every path that is not a file, it sends the one HTML page: the script in the browser
 * chooses by the path what to show.
 */
export async function addPages(app: FastifyInstance, webRoot: string): Promise<void> {
  await app.register(fastifyStatic, {
    root: webRoot,
    index: INDEX,
    redirect: false,
    // The build writes compressed copies of the assets.
    preCompressed: true,
    // A path that ends with a slash is a folder, and folders have no file to serve.
    allowedPath: (path) => path === '/' || !path.endsWith('/'),
    cacheControl: false,
    setHeaders: (reply, path) => {
      reply.header(
        'cache-control',
        HASHED_FILE.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
      );
    },
  });
  app.setNotFoundHandler((request, reply) => sendPage(request, reply, webRoot));
}

async function sendPage(
  { method, url }: FastifyRequest,
  reply: FastifyReply,
  webRoot: string,
): Promise<FastifyReply> {
  const isPage =
    (method === 'GET' || method === 'HEAD') && !/^\/(?:api|assets)(?:[/?]|$)/.test(url);
  if (!isPage) throw new ConsoleError('not_found', 'There is nothing at this address.');
  if (await isMissing(join(webRoot, INDEX))) {
    return reply
      .code(503)
      .type('text/html; charset=utf-8')
      .header('retry-after', '2')
      .send(NOT_BUILT);
  }
  return reply.code(200).sendFile(INDEX);
}

async function isMissing(path: string): Promise<boolean> {
  return access(path).then(
    () => false,
    () => true,
  );
}
