import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ResourceFile } from '@sluice/contracts';
import { LineCounter, parseDocument, type Document, type YAMLParseError } from 'yaml';
import { UsageError } from '../command.ts';
import { errorCode } from '../error-code.ts';

/** Reads a resource file; `-` is standard input. The error lists every mistake in it. */
export async function readResourceFile(file: string, folder: string): Promise<ResourceFile> {
  return parseResourceFile(decode(await read(file, folder), file), file);
}

async function read(file: string, folder: string): Promise<Uint8Array> {
  if (file === '-') return buffer(process.stdin);
  try {
    return await readFile(resolve(folder, file));
  } catch (error) {
    throw new UsageError(`${file} cannot be read (${errorCode(error)})`, { cause: error });
  }
}

/** Decodes UTF-8. Other encodings are refused, because their letters would become replacement characters. */
function decode(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new UsageError(`${file} is not UTF-8`, { cause: error });
  }
}

export function parseResourceFile(content: string, file: string): ResourceFile {
  const lines = new LineCounter();
  const document = parseDocument(content, { lineCounter: lines, prettyErrors: false });
  const [fault] = document.errors;
  if (fault !== undefined) {
    const { line, col } = lines.linePos(fault.pos[0]);
    throw new UsageError(`${file}:${line}:${col}: ${faultText(fault)}`);
  }
  // An empty file changes nothing.
  const result = ResourceFile.safeParse(plainValue(document, file) ?? {});
  const problems = result.success
    ? duplicates(result.data)
    : result.error.issues.map(({ path, message }) => `${pathText(path)}: ${message}`);
  if (result.success && problems.length === 0) return result.data;
  throw new UsageError(
    `${file} cannot be applied:\n${problems.map((line) => `  ${line}`).join('\n')}`,
  );
}

/** The message of the YAML parser for several documents is about its API, so it is replaced. */
function faultText({ code, message }: YAMLParseError): string {
  return code === 'MULTIPLE_DOCS'
    ? 'a file holds one document: put all lists into it, without ---'
    : message.replaceAll('\n', ' ');
}

/** Fails on unresolved aliases, and on aliases that would expand a small file to a huge value. */
function plainValue(document: Document, file: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'its aliases cannot be followed';
    throw new UsageError(`${file}: ${reason}`, { cause: error });
  }
}

/** A path as text, such as `organizations[2].plan`. */
function pathText(path: readonly PropertyKey[]): string {
  const text = path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('');
  return text === '' ? 'the file' : text.replace(/^\./, '');
}

function duplicates(file: ResourceFile): string[] {
  return Object.entries(file).flatMap(([kind, documents]) => {
    const seen = new Set<string>();
    return (documents ?? []).flatMap(({ id }, index) => {
      if (seen.has(id)) return [`${kind}[${index}].id: ${id} is there twice`];
      seen.add(id);
      return [];
    });
  });
}
