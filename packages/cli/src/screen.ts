import { styleText } from 'node:util';

/** What the output can show. */
export interface Screen {
  /** The width of the terminal. Undefined if the output is a file or a pipe, which has no width. */
  readonly columns: number | undefined;
  readonly colour: boolean;
}

/** A file or a pipe. */
export const PLAIN_SCREEN: Screen = { columns: undefined, colour: false };

export type Colour = 'bold' | 'dim' | 'red' | 'green' | 'yellow';

export function paint(screen: Screen, colour: Colour | undefined, text: string): string {
  if (!screen.colour || colour === undefined) return text;
  // `screen.colour` has decided this already. With `validateStream`, Node would look at standard output and decide again.
  return styleText(colour, text, { validateStream: false });
}
