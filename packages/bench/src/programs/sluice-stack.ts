import {
  startSluice,
  type RunningSluice,
  type SluiceOptions,
  type SluiceService,
} from '@sluice/servers';
import { environmentOfPrograms } from './child-program.ts';

export interface StackOptions extends Omit<SluiceOptions, 'state' | 'environment'> {
  /** Settings of the services as environment variables. */
  readonly environment?: Readonly<Record<string, string>>;
}

export type StackProcess = SluiceService;

/** A whole stack of real processes, started in the same way as by a user. */
export interface SluiceStack extends RunningSluice {
  /** The processes at this moment. */
  processes(): Promise<StackProcess[]>;
}

export async function startStack(options: StackOptions = {}): Promise<SluiceStack> {
  const sluice = await startSluice({
    ...options,
    environment: { ...environmentOfPrograms(), ...options.environment },
  });
  return { ...sluice, processes: () => sluice.services() };
}
