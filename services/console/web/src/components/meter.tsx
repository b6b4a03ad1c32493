import type { ReactElement } from 'react';

interface MeterProps {
  /** From 0 to 1. */
  readonly share: number;
  readonly tone: 'good' | 'warning' | 'bad' | 'accent';
  /** What it shows, for screen readers. Without it, a text beside the meter says the same. */
  readonly label?: string;
}

/** A bar that is filled in part. It is an SVG, because the content security policy allows no inline styles. */
export function Meter({ share, tone, label }: MeterProps): ReactElement {
  const percent = Math.min(100, Math.max(0, share * 100));
  return (
    <svg
      className={`meter ${tone}`}
      {...(label === undefined
        ? { 'aria-hidden': true }
        : {
            role: 'meter',
            'aria-label': label,
            'aria-valuemin': 0,
            'aria-valuemax': 100,
            'aria-valuenow': Math.round(percent),
          })}
      width="100%"
      height="8"
    >
      <rect className="meter-track" width="100%" height="8" rx="4" />
      <rect className="meter-fill" width={`${percent}%`} height="8" rx="4" />
    </svg>
  );
}
