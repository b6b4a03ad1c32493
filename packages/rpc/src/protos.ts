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

type Protos = QuotaProtos & CatalogProtos;

let loaded: Protos | undefined;

export function quotaProtos(): QuotaProtos['sluice']['quota']['v1'] {
  return protos().sluice.quota.v1;
}

export function catalogProtos(): CatalogProtos['sluice']['catalog']['v1'] {
  return protos().sluice.catalog.v1;
}

/** Loaded at first use: importing this package reads no file. */
function protos(): Protos {
  const files = ['quota/v1/quota.proto', 'catalog/v1/catalog.proto'];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- generated from these very files: nothing here can check it
  loaded ??= loadPackageDefinition(loadSync(files, OPTIONS)) as unknown as Protos;
  return loaded;
}
