import { type ReactElement, useState } from 'react';
import { IconButton } from '../components/button.tsx';
import { texts } from '../texts.ts';

const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];
const storageKey = 'theme';

/** Reads the chosen colours. The pages store nothing else in the browser. */
export function readTheme(): Theme {
  try {
    const kept = localStorage.getItem(storageKey);
    return themes.find((theme) => theme === kept) ?? 'system';
  } catch {
    return 'system';
  }
}

export function applyTheme(theme: Theme): void {
  const root = document.documentElement;
  if (theme === 'system') delete root.dataset['theme'];
  else root.dataset['theme'] = theme;
}

export function ThemeSwitch(): ReactElement {
  const [theme, setTheme] = useState(readTheme);
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
  return (
    <IconButton
      icon={theme}
      label={texts.theme[theme]}
      onClick={() => {
        setTheme(next);
        applyTheme(next);
        try {
          localStorage.setItem(storageKey, next);
        } catch {
          // The choice then lasts as long as the page.
        }
      }}
    />
  );
}
