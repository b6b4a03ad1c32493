import { Validator } from '@cfworker/json-schema';

export interface ContentCheck {
  readonly matches: boolean;
  /** The place of the first mismatch, or why the content is no JSON. */
  readonly reason: string | null;
}

/** Whether an answer is JSON that matches the schema that was asked for. */
export function checkContent(content: string, schema: object): ContentCheck {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    return { matches: false, reason: 'JSON' };
  }
  try {
    const { valid, errors } = new Validator(schema, '2020-12', true).validate(value);
    const first = errors.at(-1);
    return {
      matches: valid,
      reason: valid || first === undefined ? null : `${first.instanceLocation}: ${first.error}`,
    };
  } catch (error) {
    return { matches: false, reason: error instanceof Error ? error.message : null };
  }
}
