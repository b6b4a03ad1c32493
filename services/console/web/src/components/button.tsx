import type { ButtonHTMLAttributes, ReactElement } from 'react';
import { Icon, type IconName } from './icons.tsx';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: 'primary' | 'plain' | 'quiet' | 'danger';
  readonly icon?: IconName;
  /** Whether its action is under way. Unlike a disabled button, a busy button keeps the focus. */
  readonly busy?: boolean;
}

export function Button({
  look = 'plain',
  icon,
  busy = false,
  children,
  className,
  onClick,
  ...rest
}: ButtonProps): ReactElement {
  return (
    <button
      type="button"
      {...rest}
      className={['button', look, className].filter(Boolean).join(' ')}
      aria-disabled={busy || undefined}
      data-busy={busy || undefined}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {icon === undefined ? null : <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A button that shows only an icon. Its label is read by screen readers and shown as a tooltip. */
export function IconButton({
  icon,
  label,
  className,
  ...rest
}: Omit<ButtonProps, 'children'> & {
  readonly icon: IconName;
  readonly label: string;
}): ReactElement {
  return (
    <Button
      look="quiet"
      {...rest}
      icon={icon}
      aria-label={label}
      title={label}
      className={['icon-only', className].filter(Boolean).join(' ')}
    />
  );
}
