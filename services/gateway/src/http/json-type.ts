/** The Content-Type of every reply that is not a stream. */
export const JSON_TYPE = 'application/json; charset=utf-8';
