import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const DOCUMENTATION = join(import.meta.dirname, '../../../../docs/settings.md');

/** The sections of the documentation with the settings of each service. */
const SECTIONS = {
  gateway: ['Every service', 'The bus', 'gRPC', 'Gateway'],
  worker: ['Every service', 'The bus', 'Worker'],
  quota: ['Every service', 'gRPC', 'Quota'],
  catalog: ['Every service', 'The bus', 'gRPC', 'The ledger', 'Catalog'],
  usage: ['Every service', 'The bus', 'gRPC', 'Usage'],
  console: ['Every service', 'The bus', 'gRPC', 'Console'],
} as const;

/** All settings of a service with their defaults, as written in the documentation. */
export async function documentedSettings(
  service: keyof typeof SECTIONS,
): Promise<Record<string, string>> {
  const sections: readonly string[] = SECTIONS[service];
  const text = await readFile(DOCUMENTATION, 'utf8');
  const settings: Record<string, string> = {};
  for (const part of text.split('\n## ').slice(1)) {
    const [title = '', ...lines] = part.split('\n');
    if (!sections.includes(title)) continue;
    for (const line of lines) {
      const [, name, fallback] = /^\| `(\w+)` *\| *(.*?) *\|/.exec(line) ?? [];
      if (name !== undefined && fallback !== undefined) {
        settings[name] = fallback.replaceAll('`', '');
      }
    }
  }
  return settings;
}

/** The defaults that the documentation must contain, from settings that were read with only the required variables. */
export function describeDefaults(
  names: readonly string[],
  settings: Readonly<Record<string, unknown>>,
  required: readonly string[],
): Record<string, string> {
  return Object.fromEntries(
    names.map((name) => [name, required.includes(name) ? 'required' : textOf(settings[name])]),
  );
}

function textOf(value: unknown): string {
  if (value === undefined) return '';
  if (Array.isArray(value)) return value.map(String).join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
