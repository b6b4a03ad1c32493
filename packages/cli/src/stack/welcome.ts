/** What `sluice up` prints when the stack is ready. */
export interface Welcome {
  readonly apiRoot: string;
  readonly apiKey: string;
  readonly models: readonly string[];
  readonly logs: string;
  readonly seconds: number;
}

const QUESTION = 'What is a sluice?';

/** A command for any POSIX shell. -N shows each token as it arrives. */
export function curlExample({ apiRoot, apiKey, models }: Welcome): string {
  const body = JSON.stringify({
    model: models[0],
    messages: [{ role: 'user', content: QUESTION }],
    stream: true,
  });
  return [
    `curl -N ${apiRoot}/chat/completions \\`,
    `  -H 'Authorization: Bearer ${apiKey}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d ${shellQuoted(body)}`,
  ].join('\n');
}

/** A module for any project with the `openai` package. */
export function openaiExample({ apiRoot, apiKey, models }: Welcome): string {
  return `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: ${quoted(apiRoot)},
  apiKey: ${quoted(apiKey)},
});
const stream = await client.chat.completions.create({
  model: ${quoted(models[0] ?? '')},
  messages: [{ role: 'user', content: ${quoted(QUESTION)} }],
  stream: true,
});
for await (const chunk of stream) {
  process.stdout.write(chunk.choices[0]?.delta.content ?? '');
}`;
}

export function welcomeText(welcome: Welcome): string {
  return `
Sluice is ready after ${welcome.seconds.toFixed(1)} s.

  Base address  ${welcome.apiRoot}
  API key       ${welcome.apiKey}
  Models        ${welcome.models.join(', ')}
  Logs          ${welcome.logs}

Try it from a shell:

${curlExample(welcome)}

or with the OpenAI SDK (npm install openai), as a file demo.mjs:

${openaiExample(welcome)}

Ctrl-C stops everything.`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
