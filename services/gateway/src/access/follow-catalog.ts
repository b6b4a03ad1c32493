import type { Bus } from '@sluice/bus';
import { CatalogChanged, type Subjects } from '@sluice/contracts';
import { LogDeduplicator, count, initCounters, type Logger } from '@sluice/service';
import type { CatalogDirectory } from './catalog-directory.ts';

export interface FollowCatalogOptions {
  readonly bus: Bus;
  readonly subjects: Subjects;
  readonly directory: CatalogDirectory;
  readonly logger: Logger;
}

const OTHER_SHAPE = { message: 'catalog_news', fault: 'shape' } as const;

/** Forwards notices of changes to the directory. Notices are lost while the bus is disconnected. */
export function followCatalog({
  bus,
  subjects,
  directory,
  logger,
}: FollowCatalogOptions): Disposable {
  const olderStores = new LogDeduplicator();
  initCounters('sluice.contract.mismatches', [OTHER_SHAPE]);
  const subscription = bus.subscribe(subjects.catalogChanged(), ({ json }) => {
    const notice = CatalogChanged.safeParse(json);
    if (!notice.success) {
      count('sluice.contract.mismatches', OTHER_SHAPE);
      logger.warn({ err: notice.error }, 'a notice of a catalog change could not be parsed');
      directory.invalidateAll();
      return;
    }
    const { epoch } = notice.data;
    if (directory.noteChange(notice.data) || !olderStores.shouldLog(String(epoch))) return;
    logger.warn(
      { epoch },
      'changes arrive from an older catalog bucket too: a bucket was restored, or two share this SUBJECT_PREFIX',
    );
  });
  // Called when the connection is lost and again when it returns. A notice that is lost in between may outdate an
  // answer that was requested in between.
  const stops = [
    bus.onDisconnect(() => directory.invalidateAll()),
    bus.onReconnect(() => directory.invalidateAll()),
  ];
  return {
    [Symbol.dispose]: () => {
      for (const stop of stops) stop();
      subscription.unsubscribe();
    },
  };
}
