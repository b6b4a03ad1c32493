/** What a request through the whole stack needs. */
export interface RequestProbe {
  readonly apiRoots: readonly string[];
  readonly apiKey: string;
  readonly model: string;
}

const TIMEOUT_MS = 5_000;

/**
 * Whether every gateway gets a shortest completion through: ready neighbours may still have to find
 * each other again. A refusal of the caller, such as a key revoked meanwhile, is an answer too.
 */
export async function servesRequests({ apiRoots, apiKey, model }: RequestProbe): Promise<boolean> {
  const answers = await Promise.all(
    apiRoots.map(async (apiRoot) => {
      try {
        const response = await fetch(`${apiRoot}/chat/completions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
          body: JSON.stringify({
            model,
            messages: [{ role: 'user', content: '.' }],
            max_completion_tokens: 1,
          }),
          signal: AbortSignal.timeout(TIMEOUT_MS),
        });
        await response.body?.cancel();
        return response.status < 500;
      } catch {
        return false;
      }
    }),
  );
  return answers.every(Boolean);
}
