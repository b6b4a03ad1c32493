import type { Command } from '../command.ts';
import { status } from './status.ts';
import { up } from './up.ts';

/** In the order in which help lists them. */
export const commands: readonly Command[] = [up, status];
