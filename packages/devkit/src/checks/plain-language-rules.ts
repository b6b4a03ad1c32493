import type { Prose } from './prose.ts';

export interface PhraseRule {
  /** The kind of text in which the phrase is searched. If not set, it is searched everywhere. */
  readonly kind?: Prose['kind'];
  readonly pattern: RegExp;
  /** Why the phrase is hard to read, and what to write in its place. */
  readonly advice: string;
}

const nameTheThing = 'the subject is a thing; name the tenant, client, process or operator';
const noAntecedent = 'a comment stands alone; begin with the noun that is meant';
const oldWord = 'a reader has to look it up';

/** Phrases that could be replaced by plainer English in nearly every place where they were found. */
export const phraseRules: readonly PhraseRule[] = [
  { pattern: /\bwho(?:m(?:so)?|so)?ever\b|\bwhom\b/i, advice: nameTheThing },
  { pattern: /\b(?:no|some|any|every)body(?:'s)?\b/i, advice: nameTheThing },
  {
    pattern: /\b(?:those|the ones?|one|all|any|few|many|none|others) who\b/i,
    advice: nameTheThing,
  },
  { pattern: /(?<=^|[.:;] )Who (?!is\b|are\b|may\b|can\b|must\b)/, advice: nameTheThing },
  {
    pattern: /\bwhatever (?!the\b|its\b|their\b|your\b|an?\b|any\b|our\b|happens\b)/i,
    advice: 'say what it is: "everything that", "any other", "in every case"',
  },
  {
    pattern: /(?<!\b(?:first|last|each|most|some|all|both|none|one|many|any) )\bof which\b/i,
    advice: 'make two sentences, or write "whose" or "that … of"',
  },
  {
    kind: 'comment',
    pattern:
      /^(?:Those|Such(?! as)|The ones?(?= (?:that|which|whose|who|with|of|called|in|on)\b)|One(?= (?:that|which|whose|who|with|without)\b))\b/,
    advice: noAntecedent,
  },
  { pattern: /(?<=^|[.:;] )Of /, advice: 'begin with the subject, not with "Of"' },
  { pattern: /(?<=^|[.:;] )Else\b/, advice: 'write "Otherwise"' },
  { pattern: /\banew\b/i, advice: 'write "again" or "from the start"' },
  { pattern: /\bfor ever\b/i, advice: 'write "without a limit" or "forever"' },
  { pattern: /\b(?:lately|albeit|lest|thereby|hitherto|whereupon|upon which)\b/i, advice: oldWord },
  {
    pattern: /\b(?:become|becomes|became) of\b|\bwhat (?:comes|came|has come) of\b/i,
    advice: 'write "the outcome" or "the result"',
  },
  { pattern: /\b(?:come|comes|came) to nothing\b/i, advice: 'write "failed" or "was refused"' },
  {
    pattern: /\b(?:says?|said|saying|without|never) a word\b|\b(?:first|last) words?\b/i,
    advice: 'write "message", "token" or "answer"',
  },
  { pattern: /\bnews\b/i, advice: 'write "change", "event" or "notification"' },
  { pattern: /\b(?:tells?|told|telling) of\b/i, advice: 'write "reports", "lists" or "names"' },
  { pattern: /\b(?:says?|said|saying) (?:nothing |anything )?of\b/i, advice: 'write "about"' },
  { pattern: /\b(?:hears?|heard|hearing)\b/i, advice: 'write "receive" or "learn"' },
  {
    pattern:
      /\b(?:is|are|was|were|be|been|has|have|had) gone\b(?! (?:back|by|from|into|on|over|silent|through)\b)/i,
    advice: 'write what happened: disconnected, ended, deleted',
  },
  { pattern: /\b(?:is|are|was|were|be|been) away\b/i, advice: 'write "unreachable" or "missing"' },
  {
    pattern: /\b(?:stands?|stood)\b(?!-| (?:in for|for|alone|in front)\b)/i,
    advice: 'write "is"; for a process, "is paused"',
  },
  { pattern: /\b(?:owes?|owed|owing)\b/i, advice: 'write what has not been sent yet' },
  { pattern: /\btaken for\b|\btakes? (?:it|them) for\b/i, advice: 'write "mistaken for"' },
  {
    pattern:
      /(?<=^|[.:;] )So (?:many|long|much|few|often)\b|\b(?:after|for|with|within|than|in|by|until) so (?:many|long|much|few)\b(?! (?:that|as)\b)/,
    advice: 'name the number: "the given number of", "this long"',
  },
  {
    pattern:
      /\b(?:shel(?:f|ves)|desks?|moulds?|moulded|errands?|knock(?:s|ed|ing)?|crumb(?:s|led)?)\b/i,
    advice: 'a metaphor; use the name that the field uses',
  },
];

export const maxWordsPerSentence = 40;
