import { type ReactElement, useEffect, useState } from 'react';
import { Link } from 'wouter';
import { Badge } from '../components/badge.tsx';
import { Button } from '../components/button.tsx';
import { Icon } from '../components/icons.tsx';
import { formatCount, formatDuration } from '../format/numbers.ts';
import { useOrganization } from '../session/session-context.ts';
import { pathOfError, pathOfRequest } from '../shell/paths.ts';
import { texts } from '../texts.ts';
import type { ContentCheck } from './check-content.ts';
import type { Answer, AnswerFailure, ToolCall } from './conversation.ts';
import { FormattedText } from './formatted-text.tsx';

const words = texts.playground;

interface AnswerViewProps {
  readonly answer: Answer;
  readonly retry: (() => void) | undefined;
}

export function AnswerView({ answer, retry }: AnswerViewProps): ReactElement {
  const { reasoning, content, toolCalls, state, failure } = answer;
  const running = state === 'running';
  return (
    <article className="turn answer" aria-busy={running}>
      <h2>{answer.model}</h2>
      {reasoning === '' ? null : (
        <details className="reasoning">
          <summary>{running && content === '' ? words.reasoningNow : words.reasoning}</summary>
          <p className="turn-text">{reasoning}</p>
        </details>
      )}
      {running && reasoning === '' && content === '' && toolCalls.length === 0 ? (
        <p className="waiting">
          <span className="pulse" />
          {words.waiting}
        </p>
      ) : null}
      {content === '' ? null : <FormattedText text={content} />}
      {toolCalls.map((call, index) => (
        <CallView key={call.id === '' ? index : call.id} call={call} />
      ))}
      {state === 'stopped' ? <p className="muted">{words.stopped}</p> : null}
      {failure === null ? null : <FailureView failure={failure} requestId={answer.requestId} />}
      {state === 'complete' && answer.schema !== null && toolCalls.length === 0 ? (
        <SchemaCheck content={content} schema={answer.schema} />
      ) : null}
      {running ? null : <Facts answer={answer} />}
      {retry === undefined || (state !== 'failed' && state !== 'stopped') ? null : (
        <Button onClick={retry}>{texts.tryAgain}</Button>
      )}
    </article>
  );
}

function CallView({ call }: { readonly call: ToolCall }): ReactElement {
  return (
    <div className="call">
      <p>
        <Badge tone="accent">{words.call}</Badge> <code>{call.name}</code>
      </p>
      <pre tabIndex={0} role="region" aria-label={words.argumentsOf(call.name)}>
        <code>{prettyJson(call.arguments)}</code>
      </pre>
    </div>
  );
}

function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function FailureView({
  failure,
  requestId,
}: {
  readonly failure: AnswerFailure;
  readonly requestId: string | null;
}): ReactElement {
  const { status, code, param, message, retryAfterSeconds } = failure;
  // Failures that the page itself detects. They are not errors of the API, so the page of errors does not list them.
  const pageFailures: Readonly<Record<string, string>> = words.failures;
  return (
    <div className="failure" role="alert">
      <Icon name="warning" />
      <div>
        <p className="failure-message">
          {message === '' ? (pageFailures[code ?? ''] ?? words.failed) : message}
        </p>
        <p className="failure-code">
          {status === null ? null : <Badge tone="bad">{status}</Badge>}
          {code === null ? null : <code>{code}</code>}
          {param === null ? null : (
            <span>
              {words.param} <code>{param}</code>
            </span>
          )}
          {retryAfterSeconds === null ? null : (
            <span>{words.retryAfter(formatDuration(retryAfterSeconds * 1_000))}</span>
          )}
        </p>
        {requestId === null ? null : (
          <p className="failure-code">
            {words.requestId} <code>{requestId}</code>
          </p>
        )}
        {code === null || code in pageFailures ? null : (
          <Link href={pathOfError(code)}>{words.aboutError}</Link>
        )}
      </div>
    </div>
  );
}

/** Says whether the content matches the schema. The validator is loaded only when an answer has a schema. */
function SchemaCheck({
  content,
  schema,
}: {
  readonly content: string;
  readonly schema: object;
}): ReactElement | null {
  const [check, setCheck] = useState<ContentCheck>();
  useEffect(() => {
    let isCurrent = true;
    void import('./check-content.ts').then(({ checkContent }) => {
      if (isCurrent) setCheck(checkContent(content, schema));
    });
    return () => {
      isCurrent = false;
    };
  }, [content, schema]);
  if (check === undefined) return null;
  return (
    <p className="schema-check">
      <Badge tone={check.matches ? 'good' : 'bad'}>
        {check.matches ? words.schemaMatches : words.schemaDiffers}
      </Badge>{' '}
      {check.reason === null ? null : <span className="muted">{check.reason}</span>}
    </p>
  );
}

function Facts({ answer }: { readonly answer: Answer }): ReactElement {
  const organization = useOrganization();
  const { tokens, firstTokenMs, durationMs, finishReason, headers, requestId } = answer;
  return (
    <footer className="facts">
      {tokens === null ? null : (
        <>
          <Fact name={words.inputTokens} value={formatCount(tokens.input)} />
          {tokens.cached > 0 ? (
            <Fact name={words.cachedTokens} value={formatCount(tokens.cached)} />
          ) : null}
          <Fact name={words.outputTokens} value={formatCount(tokens.output)} />
          {tokens.reasoning > 0 ? (
            <Fact name={words.reasoningTokens} value={formatCount(tokens.reasoning)} />
          ) : null}
        </>
      )}
      {firstTokenMs === null ? null : (
        <Fact name={words.firstToken} value={formatDuration(firstTokenMs)} />
      )}
      {durationMs === null ? null : (
        <Fact name={words.duration} value={formatDuration(durationMs)} />
      )}
      {finishReason === null ? null : <Fact name={words.finish} value={finishReason} />}
      {headers.length === 0 ? null : (
        <details className="headers">
          <summary>{words.headers}</summary>
          <dl>
            {headers.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
      {requestId === null ? null : (
        <Link href={pathOfRequest(organization.id, requestId)}>{words.explain}</Link>
      )}
    </footer>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }): ReactElement {
  return (
    <span className="fact">
      <span className="fact-name">{name}</span> {value}
    </span>
  );
}
