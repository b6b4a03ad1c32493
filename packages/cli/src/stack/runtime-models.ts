import * as z from 'zod';
import { CommandFailure } from '../command.ts';

/** A model as its runtime announces it. */
export interface RuntimeModel {
  readonly id: string;
  readonly contextLength: number | undefined;
}

/** vLLM says `max_model_len`; others say only the name. */
const ModelsReply = z.object({
  data: z.array(z.object({ id: z.string().min(1), max_model_len: z.int().min(1).nullish() })),
});

const TIMEOUT_MS = 5_000;

/** Asks runtimes for the models they serve, each model once. */
export async function readRuntimeModels(
  urls: readonly string[],
  apiKey: string | undefined,
): Promise<RuntimeModel[]> {
  const models = new Map<string, RuntimeModel>();
  for (const found of await Promise.all(urls.map(async (url) => modelsAt(url, apiKey)))) {
    for (const model of found) models.set(model.id, model);
  }
  return [...models.values()];
}

async function modelsAt(url: string, apiKey: string | undefined): Promise<RuntimeModel[]> {
  const address = `${url.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1/models`;
  try {
    const response = await fetch(address, {
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) throw new Error(`it answered with status ${response.status}`);
    const { data } = ModelsReply.parse(await response.json());
    if (data.length === 0) throw new Error('it serves no model');
    return data.map(({ id, max_model_len }) => ({ id, contextLength: max_model_len ?? undefined }));
  } catch (cause) {
    throw new CommandFailure(`the runtime at ${url} cannot be used: ${reasonOf(cause)}`, { cause });
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof z.ZodError) return 'its list of models cannot be understood';
  if (!(error instanceof Error)) return 'it does not answer';
  const { cause } = error;
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message;
}
