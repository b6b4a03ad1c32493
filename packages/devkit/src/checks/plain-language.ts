import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Check, outcomeOf } from './check.ts';
import { maxWordsPerSentence, phraseRules } from './plain-language-rules.ts';
import { type Prose, readProse } from './prose.ts';

const sentence = /\S.*?(?:[.!?](?=[)*_]*\s+[(*A-Z`])|$)/g;
const exceptionInCode = /^\s*(?:\/\/|\/?\*+|#|--)\s*plain-language-ignore\b( -- \w)?/;
const exceptionInDocument = /<!-- plain-language-ignore\b( -- \w)?/;

/**
 * Checks the comments, test titles and documents of one file for phrases that are hard to read. An
 * exception is a comment `plain-language-ignore -- reason` above the paragraph or title.
 */
export function checkPlainLanguage(path: string, content: string): string[] {
  const findings: string[] = [];
  const exceptions = new Map<number, { used: boolean }>();
  const exception = path.endsWith('.md') ? exceptionInDocument : exceptionInCode;
  for (const [index, line] of content.split('\n').entries()) {
    const match = exception.exec(line);
    if (match === null) continue;
    exceptions.set(index + 1, { used: false });
    if (match[1] === undefined) {
      findings.push(`${path}:${index + 1}: say why: plain-language-ignore -- reason`);
    }
  }
  for (const prose of readProse(path, content)) {
    const found = [...findPhrases(prose), ...findLongSentences(prose)];
    const excuse = exceptions.get(prose.firstLine) ?? exceptions.get(prose.firstLine - 1);
    if (excuse === undefined) {
      findings.push(...found.map(({ line, advice }) => `${path}:${line}: ${advice}`));
    } else if (found.length > 0) excuse.used = true;
  }
  for (const [line, { used }] of exceptions) {
    if (!used) findings.push(`${path}:${line}: excuses nothing; remove it`);
  }
  return findings;
}

interface Finding {
  readonly line: number;
  readonly advice: string;
}

function* findPhrases({ kind, text, lineAt }: Prose): Generator<Finding> {
  for (const rule of phraseRules) {
    if (rule.kind !== undefined && rule.kind !== kind) continue;
    const match = rule.pattern.exec(text);
    if (match !== null) {
      yield { line: lineAt(match.index), advice: `"${match[0].trim()}": ${rule.advice}` };
    }
  }
}

function* findLongSentences({ text, lineAt }: Prose): Generator<Finding> {
  for (const match of text.matchAll(sentence)) {
    const words = match[0].split(/\s+/).length;
    if (words > maxWordsPerSentence) {
      yield { line: lineAt(match.index), advice: `a sentence of ${words} words; make it several` };
    }
  }
}

const sources = [
  '*.{md,ts}',
  '{packages,services}/**/*.{ts,lua,sh,md}',
  '{deploy,docs}/**/*.{ts,lua,sh,md}',
];
const notOurs = ['**/node_modules/**', '**/generated/**', '**/fixtures/**'];

export const plainLanguage: Check = {
  name: 'plain language',
  run: async (root) => {
    const findings: string[] = [];
    for await (const path of glob(sources, { cwd: root, exclude: notOurs })) {
      findings.push(...checkPlainLanguage(path, await readFile(join(root, path), 'utf8')));
    }
    return outcomeOf(findings.toSorted());
  },
};
