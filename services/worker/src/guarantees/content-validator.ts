/** Whether a parsed reply matches its schema. May throw. */
export type ContentValidator = (value: unknown) => boolean;

/** The drafts of JSON Schema that are told apart. */
export type Draft = 'draft7' | 'draft2019' | 'draft2020';
