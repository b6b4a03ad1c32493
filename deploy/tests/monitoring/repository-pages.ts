import { access, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const repository = new URL('../../../', import.meta.url);

export const repositoryRoot = fileURLToPath(repository);

/** Reads a page by its path in the repository. */
export function readPage(path: string): Promise<string> {
  return readFile(new URL(path, repository), 'utf8');
}

/** Whether the repository has a file or a folder with this path. */
export function exists(path: string): Promise<boolean> {
  return access(new URL(path, repository)).then(
    () => true,
    () => false,
  );
}

export async function headingsOf(path: string): Promise<string[]> {
  const text = await readPage(path);
  return Array.from(text.matchAll(/^#+ (.+)$/gm), ([, heading = '']) => heading);
}

/** The anchor of a heading, as it is used in links. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

/** The targets of the links of a page: a path in the repository, and an anchor if the link has one. */
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
