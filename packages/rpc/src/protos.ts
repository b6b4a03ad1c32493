import { fileURLToPath } from 'node:url';
import { loadPackageDefinition, type GrpcObject } from '@grpc/grpc-js';
import { loadSync, type Options } from '@grpc/proto-loader';
import type { ProtoGrpcType as BudgetProtos } from './generated/budgets.ts';
import type { ProtoGrpcType as CatalogProtos } from './generated/catalog.ts';
import type { ProtoGrpcType as ConsoleProtos } from './generated/console.ts';
import type { ProtoGrpcType as QuotaProtos } from './generated/quota.ts';
import type { ProtoGrpcType as UsageProtos } from './generated/usage.ts';

const protoFolder = fileURLToPath(new URL('../../../proto/', import.meta.url));

/** The generated types are valid only with these options. `generate.ts` uses the same ones. */
const OPTIONS: Options = {
  longs: Number,
  enums: String,
  defaults: true,
  oneofs: true,
  includeDirs: [protoFolder],
};

// Loaded at first use, so that importing this package reads no file.
let quota: QuotaProtos | undefined;
let catalog: CatalogProtos | undefined;
let consoleProto: ConsoleProtos | undefined;
let budgets: BudgetProtos | undefined;
let usage: UsageProtos | undefined;

/** The service as its contract file describes it. The messages are encoded by hand-written code: see wire/. */
export function quotaProtos(): QuotaProtos['sluice']['quota']['v1'] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- generated from this file: nothing here can check it
  quota ??= load('quota/v1/quota.proto') as unknown as QuotaProtos;
  return quota.sluice.quota.v1;
}

export function catalogProtos(): CatalogProtos['sluice']['catalog']['v1'] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- generated from this file: nothing here can check it
  catalog ??= load('catalog/v1/catalog.proto') as unknown as CatalogProtos;
  return catalog.sluice.catalog.v1;
}

/** The catalog's service for the web console. */
export function consoleProtos(): ConsoleProtos['sluice']['catalog']['v1'] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- generated from this file: nothing here can check it
  consoleProto ??= load('catalog/v1/console.proto') as unknown as ConsoleProtos;
  return consoleProto.sluice.catalog.v1;
}

/** The catalog's service for the usage service. */
export function budgetProtos(): BudgetProtos['sluice']['catalog']['v1'] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- generated from this file: nothing here can check it
  budgets ??= load('catalog/v1/budgets.proto') as unknown as BudgetProtos;
  return budgets.sluice.catalog.v1;
}

export function usageProtos(): UsageProtos['sluice']['usage']['v1'] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- generated from this very file: nothing here can check it
  usage ??= load('usage/v1/usage.proto') as unknown as UsageProtos;
  return usage.sluice.usage.v1;
}

function load(file: string): GrpcObject {
  return loadPackageDefinition(loadSync(file, OPTIONS));
}
