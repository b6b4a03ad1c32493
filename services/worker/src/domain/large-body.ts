const LARGE_BODY_BYTES = 32_768;

/** Whether a body may take more than a dozen milliseconds to read, whatever is in it: such are read in a thread. */
export function isLargeBody(bytes: number): boolean {
  return bytes > LARGE_BODY_BYTES;
}
