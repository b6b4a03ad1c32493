import type { ExplainReply } from '@sluice/rpc';
import { numberText } from '../readable-values.ts';
import { table } from '../table.ts';

type Request = NonNullable<ExplainReply['request']>;

/** The outcome of a request as text. */
export function explainedText({ request, attempts, currency }: ExplainReply): string {
  const parts = [request === null ? withoutRequest(attempts) : requestText(request, currency)];
  if (attempts.length > 0) parts.push(attemptsTable(attempts));
  if (request !== null && request.code !== '') {
    parts.push(`What ${request.code} means: docs/errors.md`);
  }
  return parts.join('\n\n');
}

function requestText(request: Request, currency: string): string {
  return pairs([
    ['request', request.id],
    ['received', timeText(request.receivedAtMs)],
    ['organization', request.organization],
    ['project', request.project],
    ['key', request.credential],
    ['operation', request.operation],
    ['model', request.model],
    ['target', request.target],
    ['outcome', request.outcome],
    ['error code', request.code],
    ['first token', request.firstTokenMs === undefined ? '' : `after ${request.firstTokenMs} ms`],
    ['duration', `${request.durationMs} ms`],
    ['gateway', request.gateway],
    ['offers', offersText(request)],
    ['tokens', tokensText(request)],
    ['estimated input', numberText(request.estimatedInputTokens)],
    ['delivered', numberText(request.deliveredTokens)],
    ['spend', request.spend === undefined ? '' : `${request.spend} ${currency}`],
  ]);
}

function offersText({ offers, refusedOffers }: Request): string {
  return refusedOffers === 0 ? String(offers) : `${offers}, ${refusedOffers} of them refused`;
}

function tokensText(request: Request): string {
  const { inputTokens, cachedTokens, outputTokens, reasoningTokens, counted } = request;
  const input = `${numberText(inputTokens)} in (${numberText(cachedTokens)} cached)`;
  const output = `${numberText(outputTokens)} out (${numberText(reasoningTokens)} reasoning)`;
  return `${input}, ${output}, ${counted ? 'as the runtime counted' : 'as estimated'}`;
}

function withoutRequest(attempts: ExplainReply['attempts']): string {
  const [first] = attempts;
  return pairs([
    ['request', first?.id.replace(/-\d+$/, '') ?? ''],
    ['organization', first?.organization ?? ''],
    ['project', first?.project ?? ''],
    ['model', first?.model ?? ''],
    ['outcome', 'not known: its gateway has not ended it yet, or died'],
  ]);
}

function attemptsTable(attempts: ExplainReply['attempts']): string {
  return table(
    ['attempt', 'accepted', 'worker', 'ended', 'reason', 'queued', 'ran', 'tokens'],
    attempts.map((attempt) => [
      attempt.id.slice(attempt.id.lastIndexOf('-') + 1),
      timeText(attempt.acceptedAtMs).slice(11),
      attempt.worker,
      attempt.ended,
      attempt.reason === '' ? '-' : attempt.reason,
      `${attempt.queuedMs} ms`,
      `${attempt.ranMs} ms`,
      numberText(attempt.generatedTokens),
    ]),
    { numbersFrom: 5 },
  );
}

/** Names and values in two columns. Values that are not known are left out. */
function pairs(all: readonly (readonly [string, string])[]): string {
  const known = all.filter(([, value]) => value !== '');
  const width = Math.max(...known.map(([name]) => name.length));
  return known.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
}

function timeText(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 23).replace('T', ' ')} UTC`;
}
