import { type ReactElement, useEffect, useRef } from 'react';
import { Button } from '../components/button.tsx';
import { Empty } from '../components/states.tsx';
import { texts } from '../texts.ts';
import { AnswerView } from './answer-view.tsx';
import { type ToolResult, type Turn, openCalls } from './conversation.ts';
import { ToolResults } from './tool-results.tsx';

const words = texts.playground;

/** If the end is at most this many pixels out of sight, the view follows the answer. */
const followDistance = 40;

interface ConversationViewProps {
  readonly turns: readonly Turn[];
  readonly canRetry: boolean;
  readonly retry: () => void;
  readonly answerCalls: (results: readonly Omit<ToolResult, 'id' | 'kind'>[]) => void;
  readonly suggest: (message: string) => void;
}

export function ConversationView({
  turns,
  canRetry,
  retry,
  answerCalls,
  suggest,
}: ConversationViewProps): ReactElement {
  const frame = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const last = turns.at(-1);
  // The end stays in sight while the answer grows, unless the person has scrolled away from it.
  useEffect(() => {
    const element = frame.current;
    if (element !== null && follows.current) element.scrollTop = element.scrollHeight;
  }, [turns]);
  const calls = openCalls(turns);
  return (
    <div
      ref={frame}
      className="conversation"
      tabIndex={0}
      role="region"
      aria-label={words.messages}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        follows.current = scrollHeight - scrollTop - clientHeight < followDistance;
      }}
    >
      {turns.length === 0 ? (
        <Empty icon="playground" title={words.emptyTitle}>
          <p>{words.emptyText}</p>
          <div className="suggestions">
            {words.suggestions.map((suggestion) => (
              <Button key={suggestion} onClick={() => suggest(suggestion)}>
                {suggestion}
              </Button>
            ))}
          </div>
        </Empty>
      ) : null}
      {turns.map((turn) => {
        if (turn.kind === 'answer') {
          return (
            <AnswerView
              key={turn.id}
              answer={turn}
              retry={turn === last && canRetry ? retry : undefined}
            />
          );
        }
        return (
          <article key={turn.id} className={`turn ${turn.kind}`}>
            <h2>{turn.kind === 'question' ? words.you : words.resultOf(turn.call.name)}</h2>
            <p className="turn-text">{turn.text}</p>
          </article>
        );
      })}
      {calls.length > 0 ? <ToolResults key={last?.id} calls={calls} answer={answerCalls} /> : null}
      <p className="for-screen-readers" aria-live="polite">
        {last?.kind === 'answer' ? words.states[last.state] : ''}
      </p>
    </div>
  );
}
