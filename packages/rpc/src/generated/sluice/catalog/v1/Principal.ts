// Original file: proto/catalog/v1/catalog.proto

import type { CredentialKindInput as _sluice_catalog_v1_CredentialKindInput, CredentialKind as _sluice_catalog_v1_CredentialKind } from '../../../sluice/catalog/v1/CredentialKind.ts';
import type { LimitsInput as _sluice_catalog_v1_LimitsInput, Limits as _sluice_catalog_v1_Limits } from '../../../sluice/catalog/v1/Limits.ts';
import type { StorePositionInput as _sluice_catalog_v1_StorePositionInput, StorePosition as _sluice_catalog_v1_StorePosition } from '../../../sluice/catalog/v1/StorePosition.ts';
import type { Long } from '@grpc/proto-loader';

export interface PrincipalInput {
  'credentialKind'?: (_sluice_catalog_v1_CredentialKindInput);
  'credentialId'?: (string);
  'account'?: (string);
  'project'?: (string);
  'organization'?: (string);
  'plan'?: (string);
  'retention'?: (string);
  'limits'?: (_sluice_catalog_v1_LimitsInput | null);
  /**
   * Revision of the limits, for the limiter.
   */
  'limitsRevision'?: (_sluice_catalog_v1_StorePositionInput | null);
  /**
   * Unix milliseconds; absent when the credential does not expire.
   */
  'expiresAtMs'?: (number | string | Long);
  /**
   * A 403 code of the interface, empty when access is granted.
   */
  'accessRefusal'?: (string);
  /**
   * A 402 or 409 code of the interface, with which only chat completions are refused. Empty when they are served.
   */
  'billingRefusal'?: (string);
  /**
   * How workers schedule the organization. Absent: weight 1, class 0, no bound of slots.
   */
  'weight'?: (number | string);
  'schedulingClass'?: (number);
  'slotsPerWorker'?: (number);
  '_expiresAtMs'?: "expiresAtMs";
  '_weight'?: "weight";
  '_schedulingClass'?: "schedulingClass";
  '_slotsPerWorker'?: "slotsPerWorker";
}

export interface Principal {
  'credentialKind': (_sluice_catalog_v1_CredentialKind);
  'credentialId': (string);
  'account': (string);
  'project': (string);
  'organization': (string);
  'plan': (string);
  'retention': (string);
  'limits': (_sluice_catalog_v1_Limits | null);
  /**
   * Revision of the limits, for the limiter.
   */
  'limitsRevision': (_sluice_catalog_v1_StorePosition | null);
  /**
   * Unix milliseconds; absent when the credential does not expire.
   */
  'expiresAtMs'?: (number);
  /**
   * A 403 code of the interface, empty when access is granted.
   */
  'accessRefusal': (string);
  /**
   * A 402 or 409 code of the interface, with which only chat completions are refused. Empty when they are served.
   */
  'billingRefusal': (string);
  /**
   * How workers schedule the organization. Absent: weight 1, class 0, no bound of slots.
   */
  'weight'?: (number);
  'schedulingClass'?: (number);
  'slotsPerWorker'?: (number);
  '_expiresAtMs'?: "expiresAtMs";
  '_weight'?: "weight";
  '_schedulingClass'?: "schedulingClass";
  '_slotsPerWorker'?: "slotsPerWorker";
}
