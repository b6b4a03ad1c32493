/** Where people go if no path was named. */
const HOME = '/';
const MAX_LENGTH = 512;
/** These paths are not pages. A sign-in that leads to `/sign-in` would begin another one. */
const NOT_PAGES = /^\/(?:sign-in|api)(?:[/?#]|$)/;

/**
 * Reads the page of the console that a person wants to see after signing in. Everything else becomes the first page,
 * because an attacker could send a link with the address of another site.
 */
export function returnPath(named: string | undefined): string {
  if (named === undefined || named.length > MAX_LENGTH || !named.startsWith('/')) return HOME;
  // Browsers read a backslash as a slash, and ignore tabs and line ends: https://url.spec.whatwg.org/#url-parsing
  if (/[\\\p{Cc}]/u.test(named)) return HOME;
  // The path is parsed with an arbitrary origin. If the result has another origin, the text named another host.
  const base = 'https://console.invalid';
  const url = URL.parse(named, base);
  if (url === null || url.origin !== base) return HOME;
  const path = `${url.pathname}${url.search}${url.hash}`;
  return path.startsWith('//') || NOT_PAGES.test(path) ? HOME : path;
}
