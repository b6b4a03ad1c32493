import { readFile } from 'node:fs/promises';

const repository = new URL('../../../', import.meta.url);

/** By its path in the repository. */
export function readPage(path: string): Promise<string> {
  return readFile(new URL(path, repository), 'utf8');
}

export async function headingsOf(path: string): Promise<string[]> {
  const text = await readPage(path);
  return Array.from(text.matchAll(/^#+ (.+)$/gm), ([, heading = '']) => heading);
}

/** What a link to a heading ends in. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

/** Where the links of a page lead: a path in the repository, and a heading there if one is named. */
export async function linksOf(
  path: string,
): Promise<{ path: string; anchor: string | undefined }[]> {
  const links = Array.from(
    (await readPage(path)).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g),
  );
  const page = new URL(path, repository);
  return links.map(([, target = '', anchor]) => {
    const { pathname } = target === '' ? page : new URL(target, page);
    return { path: pathname.slice(repository.pathname.length), anchor };
  });
}
