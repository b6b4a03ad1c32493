import { AttemptFailure } from '../attempt/attempt-failure.ts';
import type { SchemaText } from '../dialects/schema-text.ts';
import type { TranslatedRequest } from '../dialects/translate-request.ts';
import type { SchemaChecker } from './schema-checker.ts';

type RequestSchemas = Pick<TranslatedRequest, 'promised' | 'functions'>;

/** The delay that a client is asked to wait while the schema thread is too busy. */
const RETRY_AFTER_MS = 1_000;

/**
 * Prepares the schemas that the reply will be checked against. Throws if the reply could not be checked, before
 * anything is generated.
 */
export async function prepareSchemas(
  request: RequestSchemas,
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
function* schemasOf({ promised, functions }: RequestSchemas): Generator<[string, SchemaText]> {
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
