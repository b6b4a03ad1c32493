import { fileURLToPath } from 'node:url';
import { loadPackageDefinition } from '@grpc/grpc-js';
import { loadSync, type Options } from '@grpc/proto-loader';
import type { ProtoGrpcType as CatalogProtos } from './generated/catalog.ts';
import type { ProtoGrpcType as QuotaProtos } from './generated/quota.ts';

const protoFolder = fileURLToPath(new URL('../../../proto/', import.meta.url));

/** The generated types hold for exactly these options: see generate.ts. */
const OPTIONS: Options = {
  longs: Number,
  enums: String,
  defaults: true,
  oneofs: true,
  includeDirs: [protoFolder],
};

// Loaded at first use: a process pays only for the contracts it speaks.
let quota: QuotaProtos['sluice']['quota']['v1'] | undefined;
let catalog: CatalogProtos['sluice']['catalog']['v1'] | undefined;

export function quotaProtos(): QuotaProtos['sluice']['quota']['v1'] {
  quota ??= load<QuotaProtos>('quota/v1/quota.proto').sluice.quota.v1;
  return quota;
}

export function catalogProtos(): CatalogProtos['sluice']['catalog']['v1'] {
  catalog ??= load<CatalogProtos>('catalog/v1/catalog.proto').sluice.catalog.v1;
  return catalog;
}

function load<Protos>(file: string): Protos {
  // The generated types are the generator's promise about this very file: nothing at run time can check it.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return loadPackageDefinition(loadSync(file, OPTIONS)) as unknown as Protos;
}
