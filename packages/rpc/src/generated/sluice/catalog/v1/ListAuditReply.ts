// Original file: proto/catalog/v1/catalog.proto

import type { AuditRecordInput as _sluice_catalog_v1_AuditRecordInput, AuditRecord as _sluice_catalog_v1_AuditRecord } from '../../../sluice/catalog/v1/AuditRecord.ts';
import type { Long } from '@grpc/proto-loader';

export interface ListAuditReplyInput {
  'records'?: (_sluice_catalog_v1_AuditRecordInput)[];
  /**
   * What to send as `before` for the next page; 0 if this is the last page. A page may be empty and not the last.
   */
  'nextBefore'?: (number | string | Long);
}

export interface ListAuditReply {
  'records': (_sluice_catalog_v1_AuditRecord)[];
  /**
   * What to send as `before` for the next page; 0 if this is the last page. A page may be empty and not the last.
   */
  'nextBefore': (number);
}
