// Original file: proto/catalog/v1/catalog.proto

import type { AuditRecordInput as _sluice_catalog_v1_AuditRecordInput, AuditRecord as _sluice_catalog_v1_AuditRecord } from '../../../sluice/catalog/v1/AuditRecord.ts';
import type { Long } from '@grpc/proto-loader';

export interface ListAuditReplyInput {
  'records'?: (_sluice_catalog_v1_AuditRecordInput)[];
  /**
   * What to send as `before` for the next page, which an empty one may have too; 0 when this was the last.
   */
  'nextBefore'?: (number | string | Long);
}

export interface ListAuditReply {
  'records': (_sluice_catalog_v1_AuditRecord)[];
  /**
   * What to send as `before` for the next page, which an empty one may have too; 0 when this was the last.
   */
  'nextBefore': (number);
}
