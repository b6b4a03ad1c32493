import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { fastifyStatic } from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ConsoleError } from '../answers/console-error.ts';

const INDEX = 'index.html';
/** The names of files in this folder contain a hash of their content. */
const HASHED = /\/assets\/[^/]+$/;

const NOT_BUILT = `<!doctype html>
<html lang="en">
<title>Console</title>
<meta http-equiv="refresh" content="2">
<p>The pages of the console are being built. This page reloads by itself.</p>
</html>
`;

/** Serves the built page. Every path that is no file is a page, because the browser chooses what it shows. */
export async function addPages(app: FastifyInstance, webRoot: string): Promise<void> {
  await app.register(fastifyStatic, {
    root: webRoot,
    index: INDEX,
    redirect: false,
    // Folders have no page of their own.
    allowedPath: (path) => path === '/' || !path.endsWith('/'),
    cacheControl: false,
    setHeaders: (reply, path) => {
      reply.header(
        'cache-control',
        HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
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
