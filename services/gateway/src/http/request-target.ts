/** Where a request goes, read from its target as the client wrote it. */
export interface RequestTarget {
  /** Without query, still percent-encoded. */
  readonly path: string;
  readonly insideApiRoot: boolean;
  /** The path below the API root, beginning with `/`; empty outside of it. */
  readonly resource: string;
}

const ABSOLUTE_FORM = /^https?:\/\/[^/?#]*/i;

export function readTarget(url: string, apiRoot: string): RequestTarget {
  const path = url.startsWith('/') ? url : url.replace(ABSOLUTE_FORM, '');
  const query = path.search(/[?#]/);
  const bare = (query === -1 ? path : path.slice(0, query)) || '/';
  const insideApiRoot =
    bare.startsWith(apiRoot) && (bare.length === apiRoot.length || bare[apiRoot.length] === '/');
  return { path: bare, insideApiRoot, resource: insideApiRoot ? bare.slice(apiRoot.length) : '' };
}

export type Route =
  | { readonly name: 'models' }
  /** `model` is undefined when its percent-encoding means nothing. */
  | { readonly name: 'model'; readonly model: string | undefined }
  | { readonly name: 'completions' }
  | { readonly name: 'openapi' }
  | { readonly name: 'unknown' };

const MODEL_PREFIX = '/models/';

export function routeOf(target: RequestTarget): Route {
  if (!target.insideApiRoot) {
    return { name: target.path === '/openapi.json' ? 'openapi' : 'unknown' };
  }
  const { resource } = target;
  if (resource === '/chat/completions') return { name: 'completions' };
  if (resource === '/models') return { name: 'models' };
  if (resource.startsWith(MODEL_PREFIX) && resource.length > MODEL_PREFIX.length) {
    return { name: 'model', model: decodeOnce(resource.slice(MODEL_PREFIX.length)) };
  }
  return { name: 'unknown' };
}

function decodeOnce(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The methods of a route, as its `Allow` header lists them; undefined where there is none. */
export function allowedMethods(route: Route): readonly string[] | undefined {
  switch (route.name) {
    case 'models':
    case 'model':
    case 'openapi':
      return READ_METHODS;
    case 'completions':
      return WRITE_METHODS;
    case 'unknown':
      return undefined;
  }
}

const READ_METHODS = ['GET', 'HEAD'];
const WRITE_METHODS = ['POST'];
