import { ResourceFile } from '@sluice/contracts';
import * as z from 'zod';

/** The JSON Schema with which editors check and complete the files for `sluice apply`. */
export function resourceFileSchema(): string {
  const { $schema, ...schema } = z.toJSONSchema(ResourceFile, { io: 'input' });
  const titled = {
    $schema,
    title: 'Sluice resources',
    description: 'What a catalog holds: plans, models, accounts, organizations and projects.',
    ...schema,
  };
  return `${JSON.stringify(titled, undefined, 2)}\n`;
}
