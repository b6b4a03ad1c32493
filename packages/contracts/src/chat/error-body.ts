import * as z from 'zod';

/** The body of every error response, and the data of a stream's error event. */
export const ErrorBody = z.strictObject({
  error: z.strictObject({
    message: z.string(),
    type: z.string(),
    /** The parameter at fault, as a path. */
    param: z.string().nullable(),
    code: z.string().nullable(),
  }),
});
export type ErrorBody = z.infer<typeof ErrorBody>;
