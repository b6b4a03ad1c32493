/** How a reply breaks a promise to its client. For `schema_unchecked`, whether it does is not known. */
export const REPLY_FAULTS = [
  'schema_differs',
  'schema_unchecked',
  'not_json_object',
  'tool_choice_differs',
  'parallel_calls',
  'arguments_not_json',
  'arguments_differ',
  'reasoning_late',
] as const;
export type ReplyFault = (typeof REPLY_FAULTS)[number];
