// Original file: proto/catalog/v1/budgets.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { ReadBudgetsReplyInput as _sluice_catalog_v1_ReadBudgetsReplyInput, ReadBudgetsReply as _sluice_catalog_v1_ReadBudgetsReply } from '../../../sluice/catalog/v1/ReadBudgetsReply.ts';
import type { ReadBudgetsRequestInput as _sluice_catalog_v1_ReadBudgetsRequestInput, ReadBudgetsRequest as _sluice_catalog_v1_ReadBudgetsRequest } from '../../../sluice/catalog/v1/ReadBudgetsRequest.ts';
import type { SetBudgetStopReplyInput as _sluice_catalog_v1_SetBudgetStopReplyInput, SetBudgetStopReply as _sluice_catalog_v1_SetBudgetStopReply } from '../../../sluice/catalog/v1/SetBudgetStopReply.ts';
import type { SetBudgetStopRequestInput as _sluice_catalog_v1_SetBudgetStopRequestInput, SetBudgetStopRequest as _sluice_catalog_v1_SetBudgetStopRequest } from '../../../sluice/catalog/v1/SetBudgetStopRequest.ts';

/**
 * The calls of the usage service: it reads prices and budgets, and sets and lifts stops. Served on the admin port, with
 * separate tokens that permit no other calls.
 */
export interface CatalogBudgetsClient extends grpc.Client {
  ReadBudgets(argument: _sluice_catalog_v1_ReadBudgetsRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ReadBudgetsReply>): grpc.ClientUnaryCall;
  ReadBudgets(argument: _sluice_catalog_v1_ReadBudgetsRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ReadBudgetsReply>): grpc.ClientUnaryCall;
  ReadBudgets(argument: _sluice_catalog_v1_ReadBudgetsRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ReadBudgetsReply>): grpc.ClientUnaryCall;
  ReadBudgets(argument: _sluice_catalog_v1_ReadBudgetsRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ReadBudgetsReply>): grpc.ClientUnaryCall;
  readBudgets(argument: _sluice_catalog_v1_ReadBudgetsRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ReadBudgetsReply>): grpc.ClientUnaryCall;
  readBudgets(argument: _sluice_catalog_v1_ReadBudgetsRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_ReadBudgetsReply>): grpc.ClientUnaryCall;
  readBudgets(argument: _sluice_catalog_v1_ReadBudgetsRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_ReadBudgetsReply>): grpc.ClientUnaryCall;
  readBudgets(argument: _sluice_catalog_v1_ReadBudgetsRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_ReadBudgetsReply>): grpc.ClientUnaryCall;
  
  /**
   * Stops an organization that has spent its budget, or lifts the stop. Gateways are notified at once.
   */
  SetBudgetStop(argument: _sluice_catalog_v1_SetBudgetStopRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_SetBudgetStopReply>): grpc.ClientUnaryCall;
  SetBudgetStop(argument: _sluice_catalog_v1_SetBudgetStopRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_SetBudgetStopReply>): grpc.ClientUnaryCall;
  SetBudgetStop(argument: _sluice_catalog_v1_SetBudgetStopRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_SetBudgetStopReply>): grpc.ClientUnaryCall;
  SetBudgetStop(argument: _sluice_catalog_v1_SetBudgetStopRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_SetBudgetStopReply>): grpc.ClientUnaryCall;
  /**
   * Stops an organization that has spent its budget, or lifts the stop. Gateways are notified at once.
   */
  setBudgetStop(argument: _sluice_catalog_v1_SetBudgetStopRequestInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_SetBudgetStopReply>): grpc.ClientUnaryCall;
  setBudgetStop(argument: _sluice_catalog_v1_SetBudgetStopRequestInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_catalog_v1_SetBudgetStopReply>): grpc.ClientUnaryCall;
  setBudgetStop(argument: _sluice_catalog_v1_SetBudgetStopRequestInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_catalog_v1_SetBudgetStopReply>): grpc.ClientUnaryCall;
  setBudgetStop(argument: _sluice_catalog_v1_SetBudgetStopRequestInput, callback: grpc.requestCallback<_sluice_catalog_v1_SetBudgetStopReply>): grpc.ClientUnaryCall;
  
}

/**
 * The calls of the usage service: it reads prices and budgets, and sets and lifts stops. Served on the admin port, with
 * separate tokens that permit no other calls.
 */
export interface CatalogBudgetsHandlers extends grpc.UntypedServiceImplementation {
  ReadBudgets: grpc.handleUnaryCall<_sluice_catalog_v1_ReadBudgetsRequest, _sluice_catalog_v1_ReadBudgetsReplyInput>;
  
  /**
   * Stops an organization that has spent its budget, or lifts the stop. Gateways are notified at once.
   */
  SetBudgetStop: grpc.handleUnaryCall<_sluice_catalog_v1_SetBudgetStopRequest, _sluice_catalog_v1_SetBudgetStopReplyInput>;
  
}

export interface CatalogBudgetsDefinition extends grpc.ServiceDefinition {
  ReadBudgets: MethodDefinition<_sluice_catalog_v1_ReadBudgetsRequestInput, _sluice_catalog_v1_ReadBudgetsReplyInput, _sluice_catalog_v1_ReadBudgetsRequest, _sluice_catalog_v1_ReadBudgetsReply>
  SetBudgetStop: MethodDefinition<_sluice_catalog_v1_SetBudgetStopRequestInput, _sluice_catalog_v1_SetBudgetStopReplyInput, _sluice_catalog_v1_SetBudgetStopRequest, _sluice_catalog_v1_SetBudgetStopReply>
}
