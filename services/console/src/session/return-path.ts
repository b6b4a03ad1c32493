/** Where people go if no path was named. */
const HOME = '/';
const MAX_LENGTH = 512;
/** No page is behind these paths, so that no sign-in leads to another. */
const NOT_PAGES = /^\/(?:sign-in|api)(?:[/?#]|$)/;

/**
 * The path of a page of the console, from the parameter of a link. Anything else becomes the first page: an address of
 * another site would lead people away after they have signed in.
 */
export function returnPath(named: string | undefined): string {
  if (named === undefined || named.length > MAX_LENGTH || !named.startsWith('/')) return HOME;
  // Browsers read a backslash like a slash, and leave out tabs and line ends.
  if (/[\\\p{Cc}]/u.test(named)) return HOME;
  // Any origin serves for reading it. A second slash would name another host.
  const base = 'https://console.invalid';
  const url = URL.parse(named, base);
  if (url === null || url.origin !== base) return HOME;
  const path = `${url.pathname}${url.search}${url.hash}`;
  return path.startsWith('//') || NOT_PAGES.test(path) ? HOME : path;
}
