import type { TmuxWindow } from './tmux-window.ts';

interface Recorder {
  readonly window: Pick<
    TmuxWindow,
    'clear' | 'type' | 'write' | 'keys' | 'lines' | 'prompt' | 'quiet'
  >;
  /** Replaces what differs between machines. */
  readonly clean: (text: string) => string;
}

/**
 * The parts of a page that are run: a block of commands with their output, a command that the page does not show
 * (`run`), and the keys to press while the commands of the next block wait for input (`keys`). After `tab`, the next
 * block shows what Tab completes.
 */
const PART =
  /^```console\n(?<block>.*?)^```$|^<!-- run: (?<run>.*?) -->$|^<!-- keys: (?<keys>.*?) -->$|^<!-- (?<tab>tab) -->$/gms;

/** Runs the commands of the blocks of a page, and returns the page with what they print now. */
export async function recordPage(page: string, recorder: Recorder): Promise<string> {
  const { window, clean } = recorder;
  let recorded = '';
  let end = 0;
  let keys: readonly string[] = [];
  let withTab = false;
  await window.prompt();
  for (const match of page.matchAll(PART)) {
    const { block, run, keys: given, tab } = match.groups ?? {};
    if (given !== undefined) keys = given.split(' | ');
    if (tab !== undefined) withTab = true;
    if (run !== undefined) {
      window.type(run);
      await window.prompt();
    }
    if (block === undefined) continue;
    const commands = commandsOf(block);
    const lines = withTab
      ? await recordCompletion(commands, window)
      : await recordBlock(commands, keys, window);
    keys = [];
    withTab = false;
    recorded += `${page.slice(end, match.index)}\`\`\`console\n${clean(lines.join('\n'))}\n\`\`\``;
    end = match.index + match[0].length;
  }
  return recorded + page.slice(end);
}

async function recordBlock(
  commands: readonly string[],
  keys: readonly string[],
  window: Recorder['window'],
): Promise<string[]> {
  window.clear();
  await window.prompt();
  for (const command of commands) {
    window.type(command);
    for (const group of keys) {
      await window.quiet();
      window.keys(keysOf(group));
    }
    await window.prompt();
  }
  return window.lines().slice(0, -1);
}

/** Presses Tab twice after each command. The shell then shows the words that may follow, and the line again. */
async function recordCompletion(
  commands: readonly string[],
  window: Recorder['window'],
): Promise<string[]> {
  const recorded: string[] = [];
  for (const command of commands) {
    window.clear();
    await window.prompt();
    window.write(command);
    window.keys(['Tab', 'Tab']);
    await window.quiet();
    recorded.push(...window.lines().slice(0, -1));
    window.keys(['C-u', 'Enter']);
    await window.prompt();
  }
  return recorded;
}

/** `Hello! Enter` types a text and presses a key. */
function keysOf(group: string): string[] {
  return group.split(/ (?=Enter$|C-)/);
}

/** The commands of a block, with their continued lines. */
function commandsOf(block: string): string[] {
  const commands: string[] = [];
  let isOpen = false;
  for (const line of block.split('\n')) {
    if (line.startsWith('$ ')) commands.push(line.slice(2));
    else if (isOpen && line.startsWith('> ')) {
      commands.push(`${commands.pop() ?? ''}\n${line.slice(2)}`);
    }
    isOpen = line.endsWith('\\');
  }
  return commands;
}
