/** Jobs for one worker, sent over the bus as by a gateway. */
export interface JobOptions {
  readonly natsUrl: string;
  readonly bodies: readonly string[];
  readonly stream: boolean;
  /** Number of jobs at a time. A job that ends is followed by the next one. */
  readonly jobs: number;
}

export interface JobState {
  readonly finished: number;
  readonly failed: number;
  readonly deltas: number;
  readonly messages: number;
}
