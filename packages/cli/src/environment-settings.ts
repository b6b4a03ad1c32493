import { ConfigurationError } from '@sluice/service';
import { UsageError } from './command.ts';

/** Reads settings that the services use as well. A configuration error becomes a UsageError of one line. */
export function readSharedSettings<Settings>(read: () => Settings): Settings {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new UsageError(error.message.replaceAll(/\n */g, ' '), { cause: error });
  }
}
