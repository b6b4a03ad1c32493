import { line, type PanelRow } from '../panel.ts';
import { leastOf, perSecond, quantile } from '../queries.ts';

/** The web console. No request of the public API passes through it. */
export const webConsole: PanelRow = {
  title: 'Console',
  panels: [
    {
      title: 'Answers to browsers',
      description:
        'By status. 503 is a service that the console could not call, and 500 is a fault of the console: see SluiceConsoleFailing in docs/operations/alerts.md.',
      unit: 'reqps',
      queries: [line('{{status}}', perSecond('sluice.console.requests', { by: ['status'] }))],
    },
    {
      title: 'How long answers take',
      description:
        'The 95th percentile of each route. The pages of usage and requests depend on the database of usage.',
      unit: 's',
      queries: [line('{{route}}', quantile(0.95, 'sluice.console.duration', { by: ['route'] }))],
    },
    {
      title: 'Sign-ins',
      description:
        'If failed sign-ins continue, links are being guessed, or the provider refuses: see SluiceConsoleSignInsFail in docs/operations/alerts.md.',
      unit: 'ops',
      queries: [
        line(
          '{{method}} {{outcome}}',
          perSecond('sluice.console.sign_ins', { by: ['method', 'outcome'] }),
        ),
      ],
    },
    {
      title: 'Whether consoles receive heartbeats',
      description:
        '1 for each replica that is connected to NATS. At 0, the fleet page shows the workers as they were before the connection was lost. Everything else works.',
      unit: 'bool_on_off',
      queries: [
        line('{{instance}}', leastOf('sluice.console.fleet_connected', { by: ['instance'] })),
      ],
    },
  ],
};
