import type { ExplainReply } from '@sluice/rpc';
import { numberText } from '../readable-values.ts';
import { pageAbout } from './error-pages.ts';

type Request = NonNullable<ExplainReply['request']>;
type Lines = readonly string[];

/** A reply of the usage service, and the name of the key from the catalog. */
export interface Explained extends ExplainReply {
  /** Undefined if the key has no name, or if the catalog did not answer. */
  readonly keyName: string | undefined;
}

/** The outcome of a request as text. */
export function explainedText(explained: Explained): string {
  const { request, attempts } = explained;
  const about = request === null ? withoutRequest(attempts) : requestPairs(request, explained);
  const text = pairs([...about, ...attemptPairs(explained)]);
  if (request === null || request.code === '') return text;
  return `${text}\n\nWhat ${request.code} means, and what to do: ${pageAbout(request.code)}`;
}

function requestPairs(request: Request, explained: Explained): [string, Lines][] {
  const { currency, keyName, schedulingClass, weight, attempts } = explained;
  const queuedMs = attempts.reduce((sum, attempt) => sum + attempt.queuedMs, 0);
  return [
    ['request', [request.id]],
    ['received', [timeText(request.receivedAtMs)]],
    ['organization', [request.organization]],
    ['project', [request.project]],
    ['key', [keyName === undefined ? request.credential : `${keyName} (${request.credential})`]],
    ['operation', [request.operation]],
    ['model', [request.model]],
    ['target', [request.target]],
    ['outcome', [request.outcome]],
    ['status', request.status === undefined ? [] : [String(request.status)]],
    ['error code', [request.code]],
    ['gateway', [request.gateway]],
    ['scheduling', [`class ${schedulingClass}, weight ${weight}`]],
    ['limits', limitLines(explained)],
    ['in queues', attempts.length === 0 ? [] : [`${queuedMs} ms`]],
    ['first token', request.firstTokenMs === undefined ? [] : [`after ${request.firstTokenMs} ms`]],
    ['duration', [`${request.durationMs} ms`]],
    ['tokens', tokenLines(request)],
    ['spend', request.spend === undefined ? [] : [`${request.spend} ${currency}`]],
  ];
}

function limitLines({ limits }: ExplainReply): Lines {
  if (limits === null) return [];
  const { refusedBy, waitMs, tokens } = limits;
  return [
    `cost: 1 request, ${numberText(tokens)} tokens`,
    ...limits.limits.map(({ name, limit, remaining }) => {
      const left = `${name}: ${numberText(remaining)} of ${numberText(limit)} left`;
      return name === refusedBy ? `${left}, refused it for ${waitMs} ms` : left;
    }),
  ];
}

function tokenLines(request: Request): Lines {
  const { inputTokens, cachedTokens, outputTokens, reasoningTokens, counted } = request;
  return [
    `${numberText(request.estimatedInputTokens)} in, as estimated for the limits`,
    `${numberText(inputTokens)} in (${numberText(cachedTokens)} cached), ${
      counted ? 'as the runtime counted' : 'as estimated'
    }`,
    `${numberText(outputTokens)} out (${numberText(reasoningTokens)} reasoning)`,
    `${numberText(request.deliveredTokens)} delivered`,
  ];
}

/** Each worker that was offered the request, and the result. */
function attemptPairs({ offers, attempts }: ExplainReply): [string, Lines][] {
  const byNumber = new Map(attempts.map((attempt) => [numberOf(attempt.id), attempt]));
  const numbers = new Set([...offers.map((_, index) => index + 1), ...byNumber.keys()]);
  return Array.from(numbers)
    .toSorted((one, other) => one - other)
    .map((number) => {
      const offer = offers[number - 1];
      const attempt = byNumber.get(number);
      const lines: string[] = [];
      if (attempt !== undefined) {
        const { workerName, host, runtime, queuedMs, ranMs, generatedTokens } = attempt;
        lines.push(workerName, ...labelled('host', host), ...labelled('runtime', runtime));
        lines.push(
          endText(attempt),
          `queued ${queuedMs} ms, ran ${ranMs} ms, ${numberText(generatedTokens)} tokens`,
        );
      } else if (offer !== undefined) lines.push(offer.workerName);
      if (offer !== undefined) {
        const { afterMs, tookMs } = offer;
        lines.push(
          `offered after ${afterMs} ms; for the gateway, ${endText(offer)} ${tookMs} ms later`,
        );
      }
      return [`attempt ${number}`, lines];
    });
}

function labelled(name: string, value: string): Lines {
  return value === '' ? [] : [`${name} ${value}`];
}

function endText({ ended, reason }: { ended: string; reason: string }): string {
  return reason === '' ? ended : `${ended}: ${reason}`;
}

/** The id of an attempt is the id of its request, a hyphen and the number of the attempt, from 1. */
function numberOf(id: string): number {
  return Number(id.slice(id.lastIndexOf('-') + 1));
}

function withoutRequest(attempts: ExplainReply['attempts']): [string, Lines][] {
  const [first] = attempts;
  return [
    ['request', [first?.id.replace(/-\d+$/, '') ?? '']],
    ['organization', [first?.organization ?? '']],
    ['project', [first?.project ?? '']],
    ['model', [first?.model ?? '']],
    ['outcome', ['not known: the request is still running, or its gateway died']],
  ];
}

/** Names and values in two columns. Values that are not known are left out. */
function pairs(all: readonly (readonly [string, Lines])[]): string {
  const known = all.flatMap(([name, lines]) =>
    lines
      .filter((line) => line !== '')
      .map((line, index) => [index === 0 ? name : '', line] as const),
  );
  const width = Math.max(...known.map(([name]) => name.length));
  return known.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
}

function timeText(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 23).replace('T', ' ')} UTC`;
}
