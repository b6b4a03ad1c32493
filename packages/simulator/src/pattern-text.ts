import type { SeededRandom } from './random.ts';

/** A pattern for which this file cannot write a text, for example one with a lookahead. */
export class UnwritablePattern extends Error {
  override readonly name = 'UnwritablePattern';
}

/** Writes a text that matches a part of a pattern. */
type Writer = (random: SeededRandom) => string;

const alphabet = 'abcdefghijklmnopqrstuvwxyz';
const digits = '0123456789';
const printable = `${alphabet}${alphabet.toUpperCase()}${digits} _-.,:;/+@#%&()[]{}<>=!?*~^$|"'\\`;
const classEscapes: Readonly<Record<string, string>> = {
  d: digits,
  w: `${alphabet}${alphabet.toUpperCase()}${digits}_`,
  s: ' ',
  D: alphabet,
  W: ' -.',
  S: `${alphabet}${digits}`,
};
const controlEscapes: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  f: '\f',
  v: '\v',
  0: '\0',
};
// An unbounded repetition exceeds its minimum by at most this much.
const openEndedExtra = 4;
const mostRepetitions = 10_000;
const longestText = 100_000;

const literally =
  (text: string): Writer =>
  () =>
    text;
const oneOf =
  (characters: readonly string[]): Writer =>
  (random) =>
    random.pick(characters);

/** Parses a regular expression and returns functions that write matching text. */
class PatternReader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  whole(): Writer {
    const writer = this.#alternatives();
    if (this.#at < this.#source.length) throw new UnwritablePattern('unbalanced parenthesis');
    return writer;
  }

  #peek(): string {
    return this.#source.charAt(this.#at);
  }

  #take(): string {
    const character = this.#source.charAt(this.#at);
    if (character === '') throw new UnwritablePattern('the pattern ends too soon');
    this.#at += 1;
    return character;
  }

  #takeIf(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #alternatives(): Writer {
    const branches = [this.#sequence()];
    while (this.#takeIf('|')) branches.push(this.#sequence());
    return (random) => random.pick(branches)(random);
  }

  #sequence(): Writer {
    const parts: Writer[] = [];
    while (!['', '|', ')'].includes(this.#peek())) parts.push(this.#repeated());
    return (random) => parts.map((part) => part(random)).join('');
  }

  #repeated(): Writer {
    const part = this.#single();
    const range = this.#repetition();
    if (range === undefined) return part;
    // A lazy repetition, such as `a+?`, matches the same texts.
    this.#takeIf('?');
    return (random) => {
      let text = '';
      for (let left = random.integer(range.least, range.most); left > 0; left -= 1) {
        text += part(random);
        // Nested repetitions multiply the length.
        if (text.length > longestText) throw new UnwritablePattern('the text is too long');
      }
      return text;
    };
  }

  #repetition(): { least: number; most: number } | undefined {
    if (this.#takeIf('?')) return { least: 0, most: 1 };
    if (this.#takeIf('*')) return { least: 0, most: openEndedExtra };
    if (this.#takeIf('+')) return { least: 1, most: 1 + openEndedExtra };
    const counted = /^\{(\d+)(,?)(\d*)\}/.exec(this.#source.slice(this.#at, this.#at + 24));
    if (counted === null) return undefined;
    this.#at += counted[0].length;
    const least = Number(counted[1]);
    if (least > mostRepetitions) throw new UnwritablePattern('too many repetitions');
    if (counted[2] === '') return { least, most: least };
    return {
      least,
      most:
        counted[3] === ''
          ? least + openEndedExtra
          : Math.min(Number(counted[3]), Math.max(least, mostRepetitions)),
    };
  }

  #single(): Writer {
    const character = this.#take();
    switch (character) {
      case '^':
      case '$':
        return literally('');
      case '.':
        return oneOf(Array.from(alphabet));
      case '(':
        return this.#group();
      case '[':
        return oneOf(this.#characterClass());
      case '\\':
        return this.#escape();
      default:
        return literally(character);
    }
  }

  #group(): Writer {
    if (this.#takeIf('?')) {
      const named = /^<[A-Za-z_]\w*>/.exec(this.#source.slice(this.#at, this.#at + 64));
      if (named !== null) this.#at += named[0].length;
      else if (!this.#takeIf(':')) {
        throw new UnwritablePattern('lookahead and lookbehind are not supported');
      }
    }
    const writer = this.#alternatives();
    if (!this.#takeIf(')')) throw new UnwritablePattern('unbalanced parenthesis');
    return writer;
  }

  #escape(): Writer {
    const letter = this.#take();
    if (letter === 'b') return literally('');
    const set = classEscapes[letter];
    return set === undefined ? literally(this.#escapedCharacter(letter)) : oneOf(Array.from(set));
  }

  #escapedCharacter(letter: string): string {
    const control = controlEscapes[letter];
    if (control !== undefined) return control;
    const hexLength = { x: 2, u: 4 }[letter];
    if (hexLength !== undefined) {
      const hex = this.#source.slice(this.#at, this.#at + hexLength);
      if (!/^[\da-f]+$/i.test(hex) || hex.length < hexLength) {
        throw new UnwritablePattern('an escape is not complete');
      }
      this.#at += hexLength;
      return String.fromCharCode(Number.parseInt(hex, 16));
    }
    if (/[A-Za-z1-9]/.test(letter)) throw new UnwritablePattern('an escape is not supported');
    return letter;
  }

  #characterClass(): string[] {
    const excluded = this.#takeIf('^');
    const members = new Set<string>();
    while (!this.#takeIf(']')) {
      const set = this.#classMember();
      if (set.length > 1 || this.#peek() !== '-' || this.#source.charAt(this.#at + 1) === ']') {
        for (const member of set) members.add(member);
        continue;
      }
      this.#take();
      const [last = ''] = this.#classMember();
      const [first = ''] = set;
      // The first 256 characters of a range are enough to choose from.
      const end = Math.min(last.charCodeAt(0), first.charCodeAt(0) + 255);
      for (let code = first.charCodeAt(0); code <= end; code += 1) {
        members.add(String.fromCharCode(code));
      }
    }
    const allowed = excluded
      ? Array.from(printable).filter((one) => !members.has(one))
      : [...members];
    if (allowed.length === 0) throw new UnwritablePattern('a character class is empty');
    return allowed;
  }

  #classMember(): string[] {
    const character = this.#take();
    if (character !== '\\') return [character];
    const letter = this.#take();
    if (letter === 'b') return ['\b'];
    const set = classEscapes[letter];
    return set === undefined ? [this.#escapedCharacter(letter)] : Array.from(set);
  }
}

/** Returns a function that writes texts that match a regular expression. It supports the common syntax. */
export function patternWriter(source: string): Writer {
  return new PatternReader(source).whole();
}
