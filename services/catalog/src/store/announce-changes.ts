import { BusDisconnectedError, type Bus } from '@sluice/bus';
import type { CatalogChanged, Revision, Subjects } from '@sluice/contracts';
import type { ChangeScope } from '../domain/affected-answers.ts';

export interface ChangeAnnouncer extends Disposable {
  readonly announce: (position: Revision, scope?: ChangeScope) => void;
}

const REPEAT_MS = 1_000;

/**
 * Tells the gateways of changes. The replica that made a change announces it, once its own watch has seen it. What a
 * broken connection or a killed process swallowed is made good: each replica announces the present position at its
 * start and at each reconnect, and each second the one that its own watch had reached a second before. To a gateway
 * that knows it already, a position says nothing, and whose answers a change concerns comes before the repetition. A
 * replica that is still reading a store has no position to tell: gateways would ask for what nobody has yet.
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
  const tell = (reached: Revision | undefined) => {
    if (reached !== undefined) announce(reached);
  };
  tell(position());
  const stop = bus.onReconnect(() => tell(position()));
  let reached = position();
  const repeating = setInterval(() => {
    tell(reached);
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
