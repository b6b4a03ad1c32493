import type { Bus } from '@sluice/bus';
import { CatalogChanged, type Subjects } from '@sluice/contracts';
import { LogDeduplicator, count, startAtZero, type Logger } from '@sluice/telemetry';
import type { CatalogDirectory } from '../domain/catalog-directory.ts';

export interface FollowCatalogOptions {
  readonly bus: Bus;
  readonly subjects: Subjects;
  readonly directory: CatalogDirectory;
  readonly logger: Logger;
}

const OTHER_SHAPE = { message: 'catalog_news', fault: 'shape' } as const;

/** Hands news of changes to the directory; while the bus is away, some may be missed. */
export function followCatalog({
  bus,
  subjects,
  directory,
  logger,
}: FollowCatalogOptions): Disposable {
  const olderStores = new LogDeduplicator();
  startAtZero('sluice.contract.mismatches', [OTHER_SHAPE]);
  const subscription = bus.subscribe(subjects.catalogChanged(), ({ json }) => {
    const news = CatalogChanged.safeParse(json);
    if (!news.success) {
      count('sluice.contract.mismatches', OTHER_SHAPE);
      logger.warn({ err: news.error }, 'news of the catalog could not be read');
      directory.noteMissedNews();
      return;
    }
    const { epoch } = news.data;
    if (directory.noteChange(news.data) || !olderStores.shouldLog(String(epoch))) return;
    logger.warn(
      { epoch },
      'catalogs tell of an older bucket too: one was restored, or two share this SUBJECT_PREFIX',
    );
  });
  // Twice: what is asked for after the loss may be overtaken by news that is missed until the bus is back.
  const stops = [
    bus.onDisconnect(() => directory.noteMissedNews()),
    bus.onReconnect(() => directory.noteMissedNews()),
  ];
  return {
    [Symbol.dispose]: () => {
      for (const stop of stops) stop();
      subscription.unsubscribe();
    },
  };
}
