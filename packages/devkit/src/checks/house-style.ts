import { glob, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Check, outcomeOf } from './check.ts';

interface LineRule {
  readonly applies: (path: string) => boolean;
  readonly pattern: RegExp;
  readonly advice: string;
}

const mainLineLimit = 25;
const vagueNames = new Set(['common', 'helper', 'helpers', 'misc', 'util', 'utils']);

const isTypeScript = (path: string): boolean => /\.tsx?$/.test(path);
const isTest = (path: string): boolean => path.endsWith('.test.ts');
const servesTests = (path: string): boolean =>
  isTest(path) || path.endsWith('-fixture.ts') || path.includes('/tests/');

// The patterns are written so that they do not match this file and its test.
const lineRules: readonly LineRule[] = [
  {
    applies: isTypeScript,
    pattern: /^\s*export\s+(?:type\s+)?\*/,
    advice: 'name the exports: a reader must see what a module offers',
  },
  {
    applies: isTest,
    pattern: /\b(?:test|it|describe|suite)(?:\.[a-z]+)*\.(?:only|skip|todo)\b/,
    advice: 'do not skip a test: fix it or delete it',
  },
  {
    applies: servesTests,
    // Matches a timer that does nothing but resolve a promise, in all its spellings. A timer that is stored in a
    // variable is allowed, because it can be cleared.
    pattern:
      /from '(?:node:)?timers\/promises'|promisify\(setTimeout\)|Promise(?:<[^>]*>)?\(.*\bsetTimeout\(|\bsetTimeout\((?:resolve|done|r)\b|(?<!= )\bsetTimeout\(\(\) => (?:resolve|done|r)\(|\bscheduler\.wait\(|\bAtomics\.wait\(/,
    advice: 'a test waits until a condition holds, it does not sleep',
  },
  {
    applies: () => true,
    pattern: /\b(?:TO[D]O|FIX[M]E|X[X]X)\b/,
    advice: 'do it now, or record it where work is planned',
  },
  {
    applies: isTypeScript,
    pattern: /(?:ox|es)lint-disable(?!.* -- \S)/,
    advice: 'say why the rule does not apply: a comment with " -- reason"',
  },
];

/** Checks one file against the rules of style that can be written as patterns. */
export function checkFileStyle(path: string, content: string): string[] {
  const lines = content.split('\n');
  const findings: string[] = [];
  for (const [index, line] of lines.entries()) {
    for (const { applies, pattern, advice } of lineRules) {
      if (applies(path) && pattern.test(line)) findings.push(`${path}:${index + 1}: ${advice}`);
    }
  }
  const lineCount = content.endsWith('\n') ? lines.length - 1 : lines.length;
  if (basename(path) === 'main.ts' && lineCount > mainLineLimit) {
    findings.push(`${path}: ${lineCount} lines; a main.ts has at most ${mainLineLimit}`);
  }
  for (const part of path.split('/')) {
    const name = part.replace(/\..*$/, '');
    if (vagueNames.has(name)) findings.push(`${path}: "${name}" says nothing; name what it does`);
  }
  return findings;
}

const sources = [
  '*.{md,json,yaml,ts}',
  '.ci/*',
  '{packages,services}/*/*.md',
  '{packages,services}/*/{src,tests}/**/*.{ts,lua,sh,md,json}',
  'services/console/web/src/**/*.{ts,tsx,css}',
  '{proto,deploy,docs}/**/*.{proto,sh,md,yaml,yml,conf,json,tpl,txt,ts}',
  'deploy/Dockerfile',
];
const notOurs = ['**/node_modules/**', '**/generated/**', 'pnpm-lock.yaml'];

export const houseStyle: Check = {
  name: 'house style',
  run: async (root) => {
    const findings: string[] = [];
    let files = 0;
    for await (const path of glob(sources, { cwd: root, exclude: notOurs })) {
      files += 1;
      findings.push(...checkFileStyle(path, await readFile(join(root, path), 'utf8')));
    }
    return outcomeOf(findings.toSorted(), `${files} files`);
  },
};
