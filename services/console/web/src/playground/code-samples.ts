export const SAMPLE_LANGUAGES = ['curl', 'Python', 'JavaScript'] as const;
export type SampleLanguage = (typeof SAMPLE_LANGUAGES)[number];

/** A program that sends the same request. It reads an API key from the environment. */
export function codeSample(language: SampleLanguage, apiUrl: string, body: object): string {
  if (language === 'curl') return curl(apiUrl, body);
  return language === 'Python' ? python(apiUrl, body) : javascript(apiUrl, body);
}

function curl(apiUrl: string, body: object): string {
  const json = JSON.stringify(body, null, 2).replaceAll("'", String.raw`'\''`);
  return [
    `curl '${apiUrl}/chat/completions' \\`,
    `  -H "Authorization: Bearer $SLUICE_API_KEY" \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${json}'`,
  ].join('\n');
}

function python(apiUrl: string, body: object): string {
  const fields = Object.entries(body).map(
    ([name, value]) => `    ${name}=${pythonValue(value, '    ')},`,
  );
  return [
    'import os',
    'from openai import OpenAI',
    '',
    'client = OpenAI(',
    `    base_url=${JSON.stringify(apiUrl)},`,
    '    api_key=os.environ["SLUICE_API_KEY"],',
    ')',
    'stream = client.chat.completions.create(',
    ...fields,
    ')',
    'for chunk in stream:',
    '    if chunk.choices and chunk.choices[0].delta.content:',
    '        print(chunk.choices[0].delta.content, end="", flush=True)',
  ].join('\n');
}

/** Writes a JSON value as Python. Only `null`, `true` and `false` are written in another way than in JSON. */
function pythonValue(value: unknown, indent: string): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = `${indent}    `;
  const lines = Array.isArray(value)
    ? value.map((item: unknown) => `${inner}${pythonValue(item, inner)},`)
    : Object.entries(value).map(
        ([name, item]) => `${inner}${JSON.stringify(name)}: ${pythonValue(item, inner)},`,
      );
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return lines.length === 0 ? `${open}${close}` : `${open}\n${lines.join('\n')}\n${indent}${close}`;
}

function javascript(apiUrl: string, body: object): string {
  return [
    "import OpenAI from 'openai';",
    '',
    'const client = new OpenAI({',
    `  baseURL: ${JSON.stringify(apiUrl)},`,
    '  apiKey: process.env.SLUICE_API_KEY,',
    '});',
    `const stream = await client.chat.completions.create(${JSON.stringify(body, null, 2)});`,
    'for await (const chunk of stream) {',
    "  process.stdout.write(chunk.choices[0]?.delta?.content ?? '');",
    '}',
  ].join('\n');
}
