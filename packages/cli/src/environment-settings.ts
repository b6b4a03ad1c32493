import { ConfigurationError } from '@sluice/host';
import { UsageError } from './command.ts';

/** Reads settings that this command shares with the services; what is wrong with them is told in one line. */
export function readSharedSettings<Settings>(read: () => Settings): Settings {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new UsageError(error.message.replaceAll(/\n */g, ' '), { cause: error });
  }
}
