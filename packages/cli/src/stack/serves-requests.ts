/** The parameters of a request through the whole stack. */
export interface RequestProbe {
  readonly apiRoots: readonly string[];
  readonly apiKey: string;
  readonly model: string;
}

const TIMEOUT_MS = 5_000;

/**
 * Whether a minimal completion succeeds through every gateway. Processes that are ready may still have to reconnect to
 * each other. A client error counts as success: it comes, for example, from a key that was revoked meanwhile.
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
