const KINDS = ['models', 'plans', 'organizations', 'projects'] as const;
export type Kind = (typeof KINDS)[number];

export const kindOf = (name: string): Kind | undefined => KINDS.find((kind) => kind === name);

/** The first five fields of a document with a simple value, and the lengths of lists, on one line. */
export function summarize(document: Readonly<Record<string, unknown>>): string {
  return Object.entries(document)
    .filter(([name]) => name !== 'id')
    .map(([name, value]) => {
      if (value === null || value === undefined) return '';
      if (Array.isArray(value)) return `${name}: ${value.length}`;
      return typeof value === 'object'
        ? ''
        : `${name}: ${JSON.stringify(value).replaceAll('"', '')}`;
    })
    .filter((part) => part !== '')
    .slice(0, 5)
    .join(' · ');
}

/** The document that the editor shows for a new resource. It has the fields that the kind requires. */
export function templateOf(kind: Kind): Record<string, unknown> {
  switch (kind) {
    case 'models':
      return { id: 'vendor/model', owned_by: 'vendor', pool: 'default' };
    case 'plans':
      return { id: 'new-plan', models: [], limits: {} };
    case 'organizations':
      return { id: 'new-organization', plan: 'plan', members: [] };
    case 'projects':
      return { id: 'new-project', organization: 'organization' };
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
