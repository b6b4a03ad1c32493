import { type ReactElement, useState } from 'react';
import { Button } from '../components/button.tsx';
import { TextArea } from '../components/field.tsx';
import { texts } from '../texts.ts';
import type { ToolCall, ToolResult } from './conversation.ts';

const words = texts.playground;

interface ToolResultsProps {
  readonly calls: readonly ToolCall[];
  readonly answer: (results: readonly Omit<ToolResult, 'id' | 'kind'>[]) => void;
}

/** A form in which the person enters the results of the functions that the model has called. */
export function ToolResults({ calls, answer }: ToolResultsProps): ReactElement {
  const [results, setResults] = useState<readonly string[]>(() => calls.map(() => ''));
  return (
    <form
      className="tool-results"
      onSubmit={(event) => {
        event.preventDefault();
        answer(calls.map((call, index) => ({ call, text: results[index] ?? '' })));
      }}
    >
      {calls.map((call, index) => (
        <TextArea
          key={call.id}
          label={words.resultOf(call.name)}
          hint={words.resultHint}
          rows={2}
          required
          value={results[index] ?? ''}
          onChange={({ currentTarget }) =>
            setResults(results.map((known, at) => (at === index ? currentTarget.value : known)))
          }
        />
      ))}
      <Button type="submit" look="primary">
        {words.sendResults(calls.length)}
      </Button>
    </form>
  );
}
