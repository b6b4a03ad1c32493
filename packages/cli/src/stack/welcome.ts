/** What `sluice up` prints when the stack is ready. */
export interface Welcome {
  readonly apiRoot: string;
  readonly apiKey: string;
  readonly models: readonly string[];
  /** The answers come from the simulated runtime. */
  readonly simulated: boolean;
  readonly logs: string;
  /** Empty without a console. */
  readonly signInUrl: string;
  readonly seconds: number;
}

const QUESTION = 'What is a sluice?';

/** A command for any POSIX shell. */
export function curlExample({ apiRoot, apiKey, models }: Welcome): string {
  const body = JSON.stringify({
    model: models[0],
    messages: [{ role: 'user', content: QUESTION }],
  });
  return [
    `curl ${apiRoot}/chat/completions \\`,
    `  -H 'Authorization: Bearer ${apiKey}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d ${shellQuoted(body)}`,
  ].join('\n');
}

/** A script for any Python with the `openai` package. */
export function pythonExample({ apiRoot, apiKey, models }: Welcome): string {
  return `from openai import OpenAI

client = OpenAI(
    base_url=${quoted(apiRoot)},
    api_key=${quoted(apiKey)},
)
answer = client.chat.completions.create(
    model=${quoted(models[0] ?? '')},
    messages=[{'role': 'user', 'content': ${quoted(QUESTION)}}],
)
print(answer.choices[0].message.content)`;
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

const SIMULATED = `The answers are simulated: words without meaning, at the pace of a GPU. To
connect a real runtime, such as vLLM, SGLang or llama.cpp:

  npm start -- --runtime http://HOST:8000

`;

export function welcomeText(welcome: Welcome): string {
  return `
Sluice is ready after ${welcome.seconds.toFixed(1)} s.

  Base address  ${welcome.apiRoot}
  API key       ${welcome.apiKey}
  Models        ${welcome.models.join(', ')}
  Logs          ${welcome.logs}${consoleText(welcome)}

${welcome.simulated ? SIMULATED : ''}Ask from a shell:

${curlExample(welcome)}

from Python (pip install openai):

${pythonExample(welcome)}

or from JavaScript (npm install openai), streamed, as a file demo.mjs:

${openaiExample(welcome)}

Ctrl-C stops everything.`;
}

function consoleText({ signInUrl }: Welcome): string {
  return signInUrl === ''
    ? ''
    : `
  Console       ${signInUrl}
                (signs in once, within ten minutes)`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
