import { harmlessLine } from '../harmless-text.ts';
import { suggestion } from '../suggestion.ts';
import type { Conversation } from './conversation.ts';

const HELP = `/help          this text
/clear         forget the conversation
/model [ID]    show the model, or change it from the next turn on
/system [TEXT] set the system message; without a text, remove it
/exit          end the chat, like Ctrl-D
To send a line that begins with a slash, put a space before it.`;

const COMMANDS = ['/help', '/clear', '/model', '/system', '/exit'];

/** Carries out a line such as `/clear`, and returns what to show. The session handles `/exit` itself. */
export function chatCommand(line: string, conversation: Conversation): string {
  const [command = '', ...words] = line.trim().split(/\s+/);
  const argument = words.join(' ');
  switch (command) {
    case '/help':
      return HELP;
    case '/clear':
      conversation.clear();
      return '(the conversation is forgotten)';
    case '/model':
      if (argument !== '') conversation.model = argument;
      return `(the model is ${harmlessLine(conversation.model)})`;
    case '/system':
      conversation.system = argument === '' ? undefined : argument;
      return argument === '' ? '(no system message)' : '(the system message is set)';
    default: {
      const meant = suggestion(command, COMMANDS);
      return `there is no ${harmlessLine(command)}${meant === '' ? '; /help lists what there is' : meant}`;
    }
  }
}
