import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const DOCUMENTATION = join(import.meta.dirname, '../../../docs/settings.md');

/** The settings in these sections of the documentation, with their defaults as they stand there. */
export async function documentedSettings(
  ...sections: readonly string[]
): Promise<Record<string, string>> {
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

/** What the documentation has to say of settings that were read from nothing but what is required. */
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
