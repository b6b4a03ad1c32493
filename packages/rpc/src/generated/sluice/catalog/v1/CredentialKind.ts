// Original file: proto/catalog/v1/catalog.proto

export const CredentialKind = {
  CREDENTIAL_KIND_UNSPECIFIED: 'CREDENTIAL_KIND_UNSPECIFIED',
  CREDENTIAL_KIND_API_KEY: 'CREDENTIAL_KIND_API_KEY',
  CREDENTIAL_KIND_PLAYGROUND: 'CREDENTIAL_KIND_PLAYGROUND',
} as const;

export type CredentialKindInput =
  | 'CREDENTIAL_KIND_UNSPECIFIED'
  | 0
  | 'CREDENTIAL_KIND_API_KEY'
  | 1
  | 'CREDENTIAL_KIND_PLAYGROUND'
  | 2

export type CredentialKind = typeof CredentialKind[keyof typeof CredentialKind]
