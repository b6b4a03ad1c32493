import { Validator } from '@cfworker/json-schema';

export interface ContentCheck {
  readonly matches: boolean;
  /** The place of a mismatch and its reason, or `JSON` if the content is not JSON. */
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
    // The validator lists the error of an object before the errors of its fields, so the last one is the most specific.
    const error = errors.at(-1);
    return {
      matches: valid,
      reason: valid || error === undefined ? null : `${error.instanceLocation}: ${error.error}`,
    };
  } catch (error) {
    return { matches: false, reason: error instanceof Error ? error.message : null };
  }
}
