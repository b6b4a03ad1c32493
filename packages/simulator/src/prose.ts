import type { SeededRandom } from './random.ts';
import { tokenEnds } from './tokenizer.ts';
import { words } from './words.ts';

export type Voice = 'answering' | 'thinking';

const asideChance = 0.15;
const quoteChance = 0.12;
const paragraphChance = 0.18;

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function thing(random: SeededRandom): string {
  const noun = random.pick(words.nouns);
  const named = random.chance(quoteChance) ? `"${noun}"` : noun;
  return random.chance(0.6) ? `the ${random.pick(words.adjectives)} ${named}` : `a ${named}`;
}

function clause(random: SeededRandom): string {
  const parts = [thing(random), random.pick(words.verbs), thing(random)];
  if (random.chance(0.5)) parts.push(random.pick(words.prepositions), thing(random));
  if (random.chance(0.3)) parts.push(random.pick(words.adverbs));
  if (random.chance(asideChance)) parts.push(random.pick(words.asides));
  return parts.join(' ');
}

function sentence(random: SeededRandom, voice: Voice): string {
  const first = clause(random);
  const whole = random.chance(0.3) ? `${first}, and ${clause(random)}` : first;
  const end = voice === 'thinking' && random.chance(0.3) ? '?' : '.';
  return voice === 'thinking'
    ? `${random.pick(words.thoughts)}, ${whole}${end}`
    : `${capitalized(whole)}${end}`;
}

export interface TokenizedText {
  readonly text: string;
  /** The end of each token in the text, in UTF-16 units. */
  readonly ends: readonly number[];
}

function continued(text: string, random: SeededRandom, voice: Voice): string {
  if (text === '') return sentence(random, voice);
  return `${text}${random.chance(paragraphChance) ? '\n\n' : ' '}${sentence(random, voice)}`;
}

/** A text of this many sentences. */
export function sentences(random: SeededRandom, voice: Voice, count: number): TokenizedText {
  let text = '';
  for (let left = count; left > 0; left -= 1) text = continued(text, random, voice);
  return { text, ends: tokenEnds(text) };
}

/** A text of exactly this many tokens. It may end inside a word. */
export function prose(random: SeededRandom, voice: Voice, tokens: number): TokenizedText {
  let text = '';
  let ends: number[] = [];
  while (ends.length < tokens) {
    // The text is tokenized only when it has an estimated length, and not after each sentence. The estimate counts three
    // characters for each missing token, which is less than the average, so the text rarely gets much too long.
    const wanted = text.length + (tokens - ends.length) * 3;
    while (text.length <= wanted) text = continued(text, random, voice);
    ends = tokenEnds(text);
  }
  return { text: text.slice(0, ends[tokens - 1] ?? 0), ends: ends.slice(0, tokens) };
}

/** A short phrase for a string value in a JSON document. */
export function phrase(random: SeededRandom): string {
  return random.chance(asideChance)
    ? `${random.pick(words.nouns)} ${random.pick(words.asides)}`
    : `${random.pick(words.adjectives)} ${random.pick(words.nouns)}`;
}
