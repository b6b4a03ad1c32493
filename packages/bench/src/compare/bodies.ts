/** Requests of a realistic small size. Their last line steers the simulated runtime. */

const MODEL = 'sluice-small';

export interface BodyOptions {
  readonly stream: boolean;
  readonly steering: Readonly<Record<string, number | boolean>>;
  /** Bodies with different numbers are different conversations. */
  readonly number?: number;
}

function requestBody({ stream, steering, number = 0 }: BodyOptions): string {
  return JSON.stringify({
    model: MODEL,
    ...(stream ? { stream } : {}),
    messages: [
      { role: 'system', content: `You keep lock number ${number} of the canal. Answer briefly.` },
      {
        role: 'user',
        content: `How does a sluice let through just as much as there is room for?\n@sim ${JSON.stringify(steering)}`,
      },
    ],
    temperature: 0.5,
  });
}

/** The same request in `count` different conversations. */
export function requestBodies(
  count: number,
  make: (number: number) => Omit<BodyOptions, 'number'>,
): string[] {
  return Array.from({ length: count }, (_, number) => requestBody({ ...make(number), number }));
}
