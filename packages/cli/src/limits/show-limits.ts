import { LIMIT_NAMES, type LimitName, type LimitWindows } from '@sluice/contracts';
import type { CsvRow } from '../output/csv.ts';
import { limitText } from '../readable-values.ts';
import type { Screen } from '../screen.ts';
import { table } from '../table.ts';

const TITLES: Readonly<Record<LimitName, string>> = {
  requests_per_minute: 'requests a minute',
  requests_per_day: 'requests a day (UTC)',
  tokens_per_minute: 'tokens a minute',
  tokens_per_day: 'tokens a day (UTC)',
};

export function limitsTable(windows: LimitWindows, screen?: Screen): string {
  const rows = LIMIT_NAMES.map((name) => {
    const window = windows[name];
    if (window === null) return [TITLES[name], 'unlimited', '-', '-'];
    const { limit, remaining, resetMs } = window;
    // A day limit has a reset time even if nothing was used.
    const fullAgain = remaining === limit ? 'now' : waitText(resetMs);
    return [TITLES[name], limitText(limit), limitText(remaining), fullAgain];
  });
  return table(['limit', 'at most', 'left', 'full again'], rows, { screen });
}

export function limitsJson(organization: string, windows: LimitWindows): object {
  const limits: Record<string, object | null> = {};
  for (const name of LIMIT_NAMES) {
    const window = windows[name];
    limits[name] = window && {
      limit: window.limit,
      remaining: window.remaining,
      reset_seconds: window.resetMs / 1000,
    };
  }
  return { organization, limits };
}

export function limitsRows(windows: LimitWindows): CsvRow[] {
  return LIMIT_NAMES.map((name) => ({
    name,
    limit: windows[name]?.limit,
    remaining: windows[name]?.remaining,
    reset_seconds: resetSeconds(windows[name]),
  }));
}

function resetSeconds(window: LimitWindows[LimitName]): number | undefined {
  return window === null ? undefined : window.resetMs / 1000;
}

function waitText(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds < 120) return `in ${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 120) return `in ${minutes} min`;
  return `in ${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
