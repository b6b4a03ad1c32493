import { AttemptFailure } from '../attempt/attempt-failure.ts';
import type { SchemaText } from '../dialects/schema-text.ts';
import type { TranslatedRequest } from '../dialects/translate-request.ts';
import type { SchemaChecker } from './schema-checker.ts';

type Checked = Pick<TranslatedRequest, 'promised' | 'functions'>;

const RETRY_AFTER_MS = 1_000;

/**
 * Checks that replies can be checked against the schemas of the request. Throws before anything is generated if they
 * cannot.
 */
export async function prepareSchemas(
  request: Checked,
  {
    organization,
    schemas,
  }: { readonly organization: string; readonly schemas: Pick<SchemaChecker, 'prepare'> },
): Promise<void> {
  for (const [param, schema] of schemasOf(request)) {
    const preparation = await schemas.prepare(organization, schema);
    if (preparation === 'unavailable') {
      throw new AttemptFailure('worker_busy', { retryable: true, retryAfterMs: RETRY_AFTER_MS });
    }
    if (preparation !== 'ready') {
      throw new AttemptFailure(`schema_${preparation}`, { retryable: false, param });
    }
  }
}

/** The schemas that a reply is checked against, by the path of their parameter. */
function* schemasOf({ promised, functions }: Checked): Generator<[string, SchemaText]> {
  const { promisedSchema, strictParameters, toolChoice } = promised;
  if (promisedSchema !== undefined) {
    yield ['response_format.json_schema.schema', promisedSchema];
  }
  if (strictParameters.size === 0 || toolChoice === 'none') return;
  for (const [index, name] of functions.entries()) {
    const parameters = strictParameters.get(name);
    if (parameters !== undefined) yield [`tools[${index}].function.parameters`, parameters];
  }
}
