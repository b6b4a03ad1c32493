import { type ReactElement, useEffect, useRef, useState } from 'react';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { useNotice } from './notices.tsx';

interface CopyProps {
  readonly text: string;
  readonly label: string;
  readonly done: string;
  readonly look?: 'primary' | 'plain' | 'quiet';
}

export function CopyButton({ text, label, done, look = 'plain' }: CopyProps): ReactElement {
  const [copied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const notice = useNotice();
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      notice(texts.copyFailed);
      return;
    }
    notice(done);
    setCopied(true);
    timer.current = setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <Button look={look} icon={copied ? 'check' : 'copy'} onClick={() => void copy()}>
      {label}
    </Button>
  );
}

/** A value that is shown once, with the button that copies it. */
export function Secret({
  value,
  label,
  copy,
  done,
}: {
  readonly value: string;
  readonly label: string;
  readonly copy: string;
  readonly done: string;
}): ReactElement {
  return (
    <div className="secret">
      <input
        readOnly
        aria-label={label}
        value={value}
        spellCheck={false}
        onFocus={(event) => event.currentTarget.select()}
      />
      <CopyButton text={value} label={copy} done={done} look="primary" />
    </div>
  );
}

export function CodeBlock({
  code,
  label,
}: {
  readonly code: string;
  readonly label: string;
}): ReactElement {
  return (
    // With a tab index, the region can be scrolled by keyboard.
    <pre className="code-block" tabIndex={0} role="region" aria-label={label}>
      <code>{code}</code>
    </pre>
  );
}
