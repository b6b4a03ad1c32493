import { fileURLToPath } from 'node:url';
import { loadPackageDefinition, type GrpcObject } from '@grpc/grpc-js';
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

// Loaded at first use: importing this package reads no file.
let quota: QuotaProtos | undefined;
let catalog: CatalogProtos | undefined;

/** As the contract's file says it. The messages themselves are written by hand: see wire/. */
export function quotaProtos(): QuotaProtos['sluice']['quota']['v1'] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- generated from this very file: nothing here can check it
  quota ??= load('quota/v1/quota.proto') as unknown as QuotaProtos;
  return quota.sluice.quota.v1;
}

export function catalogProtos(): CatalogProtos['sluice']['catalog']['v1'] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- generated from this very file: nothing here can check it
  catalog ??= load('catalog/v1/catalog.proto') as unknown as CatalogProtos;
  return catalog.sluice.catalog.v1;
}

function load(file: string): GrpcObject {
  return loadPackageDefinition(loadSync(file, OPTIONS));
}
