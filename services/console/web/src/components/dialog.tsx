import {
  type SubmitEvent,
  type ReactElement,
  type ReactNode,
  useEffect,
  useId,
  useRef,
} from 'react';
import { texts } from '../texts.ts';
import { Button, IconButton } from './button.tsx';
import { Failure } from './states.tsx';

interface DialogProps {
  readonly title: string;
  readonly close: () => void;
  readonly role?: 'dialog' | 'alertdialog';
  readonly wide?: boolean;
  readonly children: ReactNode;
}

/** The modal dialog of the browser: it keeps the focus inside, and Escape closes it. Then the focus returns. */
export function Dialog({ title, close, role, wide = false, children }: DialogProps): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const element = dialog.current;
    const focusedBefore = document.activeElement;
    element?.showModal();
    return () => {
      element?.close();
      if (focusedBefore instanceof HTMLElement && focusedBefore.isConnected) focusedBefore.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className={wide ? 'dialog wide' : 'dialog'}
      role={role}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
    >
      <header className="dialog-header">
        <h2 id={heading}>{title}</h2>
        <IconButton icon="close" label={texts.close} onClick={close} />
      </header>
      {children}
    </dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  readonly action: string;
  readonly close: () => void;
  readonly confirm: () => Promise<unknown>;
  readonly busy: boolean;
  readonly error: Error | null;
  /** A text that the person must type first, for an action that destroys much. */
  readonly typed?: string;
  readonly children: ReactNode;
}

/** Asks for confirmation of an action that destroys something. */
export function Confirm({
  title,
  action,
  close,
  confirm,
  busy,
  error,
  typed,
  children,
}: ConfirmProps): ReactElement {
  const field = useRef<HTMLInputElement>(null);
  const act = (event: SubmitEvent): void => {
    event.preventDefault();
    if (busy) return;
    if (typed !== undefined && field.current?.value !== typed) {
      field.current?.focus();
      return;
    }
    confirm().then(close, () => {
      // The error is shown in the dialog.
    });
  };
  return (
    <Dialog title={title} close={close} role="alertdialog">
      <form onSubmit={act}>
        <div className="dialog-text">{children}</div>
        {typed === undefined ? null : (
          <label className="field">
            <span>{texts.typeToConfirm(typed)}</span>
            <input ref={field} autoComplete="off" spellCheck={false} />
          </label>
        )}
        {error === null ? null : <Failure error={error} />}
        <footer className="dialog-actions">
          <Button onClick={close}>{texts.cancel}</Button>
          <Button type="submit" look="danger" busy={busy}>
            {action}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
