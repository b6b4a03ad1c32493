import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { createLogger } from '@sluice/service';
import { afterAll, beforeAll } from 'vitest';
import {
  connectBus,
  type Bus,
  type LedgerOptions,
  type LedgerStreamOptions,
} from '../src/index.ts';
import { NatsProcess } from './nats-process.ts';

/** A server for the ledgers of a test file, and the log lines about them. Call it at the top of the file. */
export function useLedgers() {
  const lines: string[] = [];
  const logger = createLogger({
    service: 'ledger-test',
    level: 'warn',
    destination: { write: (line: string) => void lines.push(line) },
  });
  let nats: NatsProcess;
  beforeAll(async () => {
    nats = await NatsProcess.start();
  });
  afterAll(async () => {
    await nats[Symbol.asyncDispose]();
  });
  return {
    lines,
    server: () => nats,
    connectTo: () => connectBus({ servers: [nats.address], name: 'ledger', logger }),
    async inManager<Result>(
      use: (manager: Awaited<ReturnType<typeof jetstreamManager>>) => Promise<Result>,
    ): Promise<Result> {
      const connection = await connect({ servers: nats.address });
      try {
        return await use(await jetstreamManager(connection));
      } finally {
        await connection.close();
      }
    },
  };
}

export function optionsOf(name: string): LedgerOptions {
  return { kind: 'outcomes', stream: `${name}-ledger` };
}

export function streamOf(
  name: string,
  more: Partial<LedgerStreamOptions> = {},
): LedgerStreamOptions {
  return {
    stream: `${name}-ledger`,
    subjects: `${name}.ledger.>`,
    replicas: 1,
    maxAgeMs: 3_600_000,
    maxBytes: 50_000_000,
    ...more,
  };
}

export function recordOf(name: string, id: string, organization = 'acme') {
  return { id, subject: `${name}.ledger.request.${organization}`, record: { id } };
}

/** A record so large that only some of them fit into one message. */
export function largeRecordOf(name: string, id: string) {
  return { ...recordOf(name, id), record: { id, filler: 'x'.repeat(2_000) } };
}

export async function idsIn(
  bus: Bus,
  name: string,
  { subjects = `${name}.ledger.>`, sinceMs = 0 } = {},
) {
  const ids: string[] = [];
  for await (const record of bus.readLedger({ stream: `${name}-ledger`, subjects, sinceMs })) {
    ids.push(/^\{"id":"([^"]+)"/.exec(record.text)?.[1] ?? record.text);
  }
  return ids;
}
