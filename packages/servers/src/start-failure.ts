const SHOWN_LINES = 15;

/** A program did not become ready. The end of its output usually shows why. */
export class StartFailure extends Error {
  override readonly name = 'StartFailure';
  readonly program: string;
  /** The message without the output. */
  readonly summary: string;
  readonly lastLines: readonly string[];

  constructor(program: string, reason: string, output = '') {
    const summary = `${program} ${reason}`;
    const lines = output.split('\n').filter((line) => line.trim() !== '');
    const lastLines = lines.slice(-SHOWN_LINES);
    super([summary, ...lastLines].join('\n'));
    this.program = program;
    this.summary = summary;
    this.lastLines = lastLines;
  }
}
