/** Jobs for one worker, over the bus, as a gateway sends them. */
export interface JobOrder {
  readonly natsUrl: string;
  readonly bodies: readonly string[];
  readonly stream: boolean;
  /** So many at once; each is followed by the next when it has ended. */
  readonly jobs: number;
}

export interface JobState {
  readonly finished: number;
  readonly failed: number;
  readonly deltas: number;
  readonly messages: number;
}
