import { ModelId } from '@sluice/contracts';
import * as z from 'zod';
import { CommandFailure } from '../command.ts';

/** A model as a runtime announces it. */
export interface RuntimeModel {
  readonly id: string;
  readonly contextLength: number | undefined;
}

/** vLLM reports `max_model_len`. Other runtimes report only the name. */
const ModelsReply = z.object({
  data: z.array(z.object({ id: z.string().min(1), max_model_len: z.int().min(1).nullish() })),
});

const TIMEOUT_MS = 5_000;

/**
 * Reads the models that the runtimes serve, each model once. A model whose name the catalog cannot hold is left out and
 * reported. If a runtime serves no other model, that is an error.
 */
export async function readRuntimeModels(
  urls: readonly string[],
  apiKey: string | undefined,
  say: (line: string) => void = () => undefined,
): Promise<RuntimeModel[]> {
  const models = new Map<string, RuntimeModel>();
  for (const found of await Promise.all(urls.map(async (url) => modelsAt(url, apiKey)))) {
    for (const model of found.models) models.set(model.id, model);
    for (const reason of found.leftOut) say(`  ${reason}`);
  }
  return [...models.values()];
}

interface ModelsFound {
  readonly models: readonly RuntimeModel[];
  /** One message for each model that is left out. */
  readonly leftOut: readonly string[];
}

async function modelsAt(url: string, apiKey: string | undefined): Promise<ModelsFound> {
  const address = `${url.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1/models`;
  try {
    const response = await fetch(address, {
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) throw new Error(`it answered with status ${response.status}`);
    const { data } = ModelsReply.parse(await response.json());
    if (data.length === 0) throw new Error('it serves no model');
    const faults = data.flatMap(({ id }) => nameFault(id) ?? []);
    if (faults.length === data.length) throw new Error(faults.join('; '));
    return {
      models: data
        .filter(({ id }) => nameFault(id) === undefined)
        .map(({ id, max_model_len }) => ({ id, contextLength: max_model_len ?? undefined })),
      leftOut: faults.map(
        (fault) => `the runtime at ${url} has a model that is left out: ${fault}`,
      ),
    };
  } catch (cause) {
    throw new CommandFailure(`the runtime at ${url} cannot be used: ${reasonOf(cause)}`, { cause });
  }
}

/** Why the catalog cannot hold a model with this name, and how to change the name. */
function nameFault(id: string): string | undefined {
  const { error } = ModelId.safeParse(id);
  if (error === undefined) return undefined;
  const rule = error.issues[0]?.message ?? 'is no name';
  return `the name of its model ${JSON.stringify(id)} ${rule}; give it another with --served-model-name (vLLM) or --alias (llama.cpp)`;
}

function reasonOf(error: unknown): string {
  if (error instanceof z.ZodError) return 'its list of models cannot be understood';
  if (!(error instanceof Error)) return 'it does not answer';
  const { cause } = error;
  // If a host name has several addresses and none of them answers, the cause is an AggregateError without a message.
  if (cause instanceof Error) return cause.message === '' ? 'it does not answer' : cause.message;
  // If there is no cause, fetch has sent nothing, and its message quotes the URL or the key.
  return error instanceof TypeError ? 'it cannot be asked' : error.message;
}
