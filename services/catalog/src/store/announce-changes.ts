import { BusDisconnectedError, type Bus } from '@sluice/bus';
import type { CatalogChanged, Revision, Subjects } from '@sluice/contracts';
import type { ChangeScope } from './affected-answers.ts';

export interface ChangeAnnouncer extends Disposable {
  readonly announce: (position: Revision, scope?: ChangeScope) => void;
}

const REPEAT_MS = 1_000;

/**
 * Announces changes to the gateways. The replica that made a change announces it as soon as its own watch has received
 * it. This message names the affected organizations, and can be lost with a connection or a process.
 *
 * Therefore each replica also announces its current position when it starts and after each reconnect. Every second, it
 * announces the position that it had reached one second before. The delay lets the message with the affected
 * organizations arrive first. Gateways ignore positions that they already know.
 *
 * A replica that is still loading announces nothing, because it could not serve the position.
 */
export function announceChanges(
  bus: Bus,
  subjects: Subjects,
  position: () => Revision | undefined,
): ChangeAnnouncer {
  const announce: ChangeAnnouncer['announce'] = ({ epoch, sequence }, scope = {}) => {
    const { organizations, answers } = scope;
    const message: CatalogChanged = {
      epoch,
      sequence,
      ...(organizations !== undefined && { organizations: [...organizations] }),
      ...(answers !== undefined && { answers }),
    };
    try {
      bus.publish(subjects.catalogChanged(), Buffer.from(JSON.stringify(message)));
    } catch (error) {
      if (!(error instanceof BusDisconnectedError)) throw error;
    }
  };
  const announceIfKnown = (reached: Revision | undefined) => {
    if (reached !== undefined) announce(reached);
  };
  announceIfKnown(position());
  const stop = bus.onReconnect(() => announceIfKnown(position()));
  let reached = position();
  const repeating = setInterval(() => {
    announceIfKnown(reached);
    reached = position();
  }, REPEAT_MS);
  return {
    announce,
    [Symbol.dispose]: () => {
      clearInterval(repeating);
      stop();
    },
  };
}
