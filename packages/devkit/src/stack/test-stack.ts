import type { RunningSluice, SluiceOptions, SluiceService } from '@sluice/servers';

export interface StackOptions extends Omit<SluiceOptions, 'environment' | 'repository'> {
  /** Settings for the services, by the names of their environment variables. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A whole stack of real processes. Disposing of it stops all of them, and checks that they have ended. */
export interface TestStack extends RunningSluice {
  service(name: string): Promise<SluiceService>;
  /** Sends a signal to one process of the stack. */
  kill(name: string, signal?: NodeJS.Signals): Promise<void>;
  /** Waits until a killed process was restarted and the stack serves requests again. */
  restarted(before: SluiceService): Promise<SluiceService>;
}
