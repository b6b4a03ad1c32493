import type { KeyboardEvent, ReactElement } from 'react';
import { Button } from '../components/button.tsx';
import { TextArea } from '../components/field.tsx';
import { texts } from '../texts.ts';

const words = texts.playground;

interface ComposerProps {
  readonly message: string;
  readonly setMessage: (message: string) => void;
  readonly running: boolean;
  /** Why nothing can be sent now. Undefined if a message can be sent. */
  readonly blocked: string | undefined;
  readonly send: () => void;
  readonly stop: () => void;
}

export function Composer({
  message,
  setMessage,
  running,
  blocked,
  send,
  stop,
}: ComposerProps): ReactElement {
  const ready = !running && blocked === undefined && message.trim() !== '';
  const keyPressed = (event: KeyboardEvent): void => {
    // While a word is composed with an input method, as in Japanese, Enter completes the word.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (ready) send();
  };
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) send();
      }}
    >
      <TextArea
        label={words.message}
        bare
        rows={3}
        placeholder={words.messagePlaceholder}
        value={message}
        onChange={({ currentTarget }) => setMessage(currentTarget.value)}
        onKeyDown={keyPressed}
      />
      <div className="composer-actions">
        <span className="hint">{blocked ?? words.sendHint}</span>
        {running ? (
          <Button icon="stop" onClick={stop}>
            {words.stop}
          </Button>
        ) : (
          <Button type="submit" look="primary" disabled={!ready}>
            {words.send}
          </Button>
        )}
      </div>
    </form>
  );
}
