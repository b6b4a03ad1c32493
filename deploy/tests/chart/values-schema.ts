import * as z from 'zod';
import { chartData, type ServiceName } from './chart-files.ts';

interface SchemaNode {
  readonly $ref?: string | undefined;
  readonly properties?: Readonly<Record<string, SchemaNode>> | undefined;
}

const SchemaNode: z.ZodType<SchemaNode> = z.object({
  $ref: z.string().optional(),
  get properties() {
    return z.record(z.string(), SchemaNode).optional();
  },
});

const Schema = SchemaNode.and(z.object({ $defs: z.record(z.string(), SchemaNode) }));

/** The values that values.schema.json allows in values.yaml. */
export class ValuesSchema {
  readonly document = chartData('values.schema.json');
  readonly #schema = Schema.parse(this.document);

  /** The names that the schema allows in `settings` of a service. */
  settingsOf(service: ServiceName): string[] {
    const values = service === 'worker' ? 'workerDefaults' : service;
    const settings = this.#at([values, 'settings'])?.properties;
    if (settings === undefined) throw new Error(`${values} has no settings`);
    return Object.keys(settings);
  }

  /** Values that are not in the schema, and properties of the schema without a default. */
  differencesFrom(values: unknown): string[] {
    return this.#compare(this.#schema, values, []);
  }

  #compare(node: SchemaNode, value: unknown, path: readonly string[]): string[] {
    const { properties } = this.#resolve(node);
    // An object without fixed names, such as labels or a container, is up to the operator.
    if (properties === undefined || path.at(-1) === 'settings') return [];
    const given = z.record(z.string(), z.unknown()).parse(value);
    const names = new Set([...Object.keys(properties), ...Object.keys(given)]);
    return Array.from(names).flatMap((name) => {
      const place = [...path, name];
      const child = properties[name];
      if (child === undefined) return [`${place.join('.')} is not in the schema`];
      if (!Object.hasOwn(given, name)) return [`${place.join('.')} has no default`];
      return this.#compare(child, given[name], place);
    });
  }

  #at(path: readonly string[]): SchemaNode | undefined {
    let node: SchemaNode | undefined = this.#schema;
    for (const name of path) node = node && this.#resolve(node).properties?.[name];
    return node && this.#resolve(node);
  }

  #resolve(node: SchemaNode): SchemaNode {
    const name = node.$ref?.replace('#/$defs/', '');
    return name === undefined ? node : (this.#schema.$defs[name] ?? node);
  }
}
