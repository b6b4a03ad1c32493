import type { ReactElement } from 'react';
import { texts } from '../texts.ts';

interface Part {
  readonly kind: 'text' | 'code';
  readonly text: string;
}

/** Splits an answer at the fences of its code blocks; the last one may not be closed yet. */
function splitAtFences(text: string): Part[] {
  const parts: Part[] = [];
  let kind: Part['kind'] = 'text';
  let lines: string[] = [];
  const addPart = (): void => {
    const whole = lines.join('\n');
    if (whole.trim() !== '') parts.push({ kind, text: kind === 'code' ? whole : whole.trim() });
    lines = [];
  };
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) {
      addPart();
      kind = kind === 'text' ? 'code' : 'text';
    } else lines.push(line);
  }
  addPart();
  return parts;
}

/** Shows an answer as text with blocks of code. Nothing in it is read as HTML, and addresses do not become links. */
export function FormattedText({ text }: { readonly text: string }): ReactElement {
  return (
    <div className="answer-text">
      {splitAtFences(text).map((part, index) =>
        part.kind === 'code' ? (
          <pre
            key={index}
            className="code-block"
            tabIndex={0}
            role="region"
            aria-label={texts.playground.codeBlock}
          >
            <code>{part.text}</code>
          </pre>
        ) : (
          <p key={index} className="turn-text">
            {part.text}
          </p>
        ),
      )}
    </div>
  );
}
