import type { ReactElement } from 'react';

/** The paths of icons, in a box of 20 by 20. They are drawn in the colour of the text around them. */
const outlines = {
  key: 'M12.5 3.5a4 4 0 1 1-2.9 6.75L4 15.9V17h2v-1.5h1.5V14H9l1.3-1.3M13.5 6.5h.01',
  playground: 'M4 5.5h12v8H9.5L6 16.5v-3H4zM7 8.5h6M7 10.75h4',
  usage: 'M3.5 16.5h13M5.5 16.5v-5M9 16.5V7M12.5 16.5V9.5M16 16.5V4',
  limits: 'M3.5 13.5a6.5 6.5 0 1 1 13 0M10 13.5l3.2-4',
  requests: 'M4 5.5h12M4 10h12M4 14.5h7',
  members:
    'M7.5 9a2.75 2.75 0 1 0 0-5.5 2.75 2.75 0 0 0 0 5.5zM2.5 16c.4-2.8 2.4-4.3 5-4.3s4.6 1.5 5 4.3M13 3.9a2.7 2.7 0 0 1 0 4.9M14.6 12c1.6.5 2.6 1.9 2.9 4',
  projects: 'M3 5.5a1 1 0 0 1 1-1h4l1.5 2H16a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1z',
  settings: 'M3.5 6h7M14.5 6h2M12.5 4v4M3.5 14h2M9.5 14h7M7.5 12v4',
  fleet: 'M4 4h12v4.5H4zM4 11.5h12V16H4zM6.5 6.25h.01M6.5 13.75h.01M9.5 6.25h4M9.5 13.75h4',
  models: 'M10 3l6 3.5v7L10 17l-6-3.5v-7zM4.2 6.6 10 10l5.8-3.4M10 10v6.8',
  plans: 'M3.5 6h13v8.5h-13zM3.5 9h13M6 12h3',
  organizations: 'M5 16.5v-13h7v13M12 8h3.5v8.5M3.5 16.5h13M7.5 6.5h2M7.5 9.5h2M7.5 12.5h2',
  accounts: 'M10 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM4 16.5c.5-3 2.9-4.8 6-4.8s5.5 1.8 6 4.8',
  audit: 'M6 3.5h6l3 3v10H6zM12 3.5v3h3M8.5 10h4M8.5 13h4',
  menu: 'M3.5 6h13M3.5 10h13M3.5 14h13',
  close: 'M5 5l10 10M15 5 5 15',
  copy: 'M7 7V4h9v9h-3M4 7h9v9H4z',
  check: 'M4.5 10.5l3.5 3.5 7.5-8',
  warning: 'M10 3.5l7 12.5H3zM10 8v4M10 14h.01',
  offline:
    'M3 3l14 14M6 11.2a6 6 0 0 1 3.2-1.6M3.3 8.4A10 10 0 0 1 7 6.2M10 5.5c2.6 0 4.9 1 6.7 2.900M12.8 10.500c.5.2.9.5 1.3.8M10 14.500h.01',
  light:
    'M10 13a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM10 2.500v1.500M10 16v1.500M2.5 10H4M16 10h1.500M4.7 4.700l1 1M14.3 14.300l1 1M15.3 4.700l-1 1M5.7 14.300l-1 1',
  dark: 'M15.5 12.200A6 6 0 0 1 7.8 4.500a6 6 0 1 0 7.7 7.700z',
  system: 'M3 4.500h14v9H3zM7.5 16.500h5M10 13.500v3',
  arrow: 'M4 10h12M11.5 5.5 16 10l-4.5 4.5',
  down: 'M5.5 8l4.5 4.500L14.5 8',
  stop: 'M6 6h8v8H6z',
  plus: 'M10 4.500v11M4.5 10h11',
  download: 'M10 3.500v9M6.5 9.5 10 13l3.5-3.500M4 16.500h12',
  code: 'M7 6l-4 4 4 4M13 6l4 4-4 4',
  clock: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 6v4l2.5 2',
} as const;

export type IconName = keyof typeof outlines;

export function Icon({ name }: { readonly name: IconName }): ReactElement {
  return (
    <svg className="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={outlines[name]} />
    </svg>
  );
}

export function Logo(): ReactElement {
  return (
    <svg className="logo" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" />
      <path d="M7 12c3 0 3 2.5 6 2.500S16 12 19 12s3 2.5 6 2.500M7 19c3 0 3 2.5 6 2.500S16 19 19 19s3 2.5 6 2.5" />
    </svg>
  );
}
