// Original file: proto/quota/v1/quota.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { AdmissionInput as _sluice_quota_v1_AdmissionInput, Admission as _sluice_quota_v1_Admission } from '../../../sluice/quota/v1/Admission.ts';
import type { AdmissionBatchInput as _sluice_quota_v1_AdmissionBatchInput, AdmissionBatch as _sluice_quota_v1_AdmissionBatch } from '../../../sluice/quota/v1/AdmissionBatch.ts';
import type { DecisionInput as _sluice_quota_v1_DecisionInput, Decision as _sluice_quota_v1_Decision } from '../../../sluice/quota/v1/Decision.ts';
import type { DecisionBatchInput as _sluice_quota_v1_DecisionBatchInput, DecisionBatch as _sluice_quota_v1_DecisionBatch } from '../../../sluice/quota/v1/DecisionBatch.ts';

/**
 * Decides whether an organization may spend this much now.
 */
export interface QuotaClient extends grpc.Client {
  /**
   * One long-lived stream for each gateway and replica. A message carries all
   * admissions that one turn of the caller's event loop produced. Decisions come
   * back in any order and possibly in several messages; the id of a decision is
   * that of its admission.
   */
  Admit(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_sluice_quota_v1_AdmissionBatchInput, _sluice_quota_v1_DecisionBatch>;
  Admit(options?: grpc.CallOptions): grpc.ClientDuplexStream<_sluice_quota_v1_AdmissionBatchInput, _sluice_quota_v1_DecisionBatch>;
  /**
   * One long-lived stream for each gateway and replica. A message carries all
   * admissions that one turn of the caller's event loop produced. Decisions come
   * back in any order and possibly in several messages; the id of a decision is
   * that of its admission.
   */
  admit(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_sluice_quota_v1_AdmissionBatchInput, _sluice_quota_v1_DecisionBatch>;
  admit(options?: grpc.CallOptions): grpc.ClientDuplexStream<_sluice_quota_v1_AdmissionBatchInput, _sluice_quota_v1_DecisionBatch>;
  
  /**
   * Returns what is left of the four limits, and charges nothing.
   */
  Peek(argument: _sluice_quota_v1_AdmissionInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_quota_v1_Decision>): grpc.ClientUnaryCall;
  Peek(argument: _sluice_quota_v1_AdmissionInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_quota_v1_Decision>): grpc.ClientUnaryCall;
  Peek(argument: _sluice_quota_v1_AdmissionInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_quota_v1_Decision>): grpc.ClientUnaryCall;
  Peek(argument: _sluice_quota_v1_AdmissionInput, callback: grpc.requestCallback<_sluice_quota_v1_Decision>): grpc.ClientUnaryCall;
  /**
   * Returns what is left of the four limits, and charges nothing.
   */
  peek(argument: _sluice_quota_v1_AdmissionInput, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_quota_v1_Decision>): grpc.ClientUnaryCall;
  peek(argument: _sluice_quota_v1_AdmissionInput, metadata: grpc.Metadata, callback: grpc.requestCallback<_sluice_quota_v1_Decision>): grpc.ClientUnaryCall;
  peek(argument: _sluice_quota_v1_AdmissionInput, options: grpc.CallOptions, callback: grpc.requestCallback<_sluice_quota_v1_Decision>): grpc.ClientUnaryCall;
  peek(argument: _sluice_quota_v1_AdmissionInput, callback: grpc.requestCallback<_sluice_quota_v1_Decision>): grpc.ClientUnaryCall;
  
}

/**
 * Decides whether an organization may spend this much now.
 */
export interface QuotaHandlers extends grpc.UntypedServiceImplementation {
  /**
   * One long-lived stream for each gateway and replica. A message carries all
   * admissions that one turn of the caller's event loop produced. Decisions come
   * back in any order and possibly in several messages; the id of a decision is
   * that of its admission.
   */
  Admit: grpc.handleBidiStreamingCall<_sluice_quota_v1_AdmissionBatch, _sluice_quota_v1_DecisionBatchInput>;
  
  /**
   * Returns what is left of the four limits, and charges nothing.
   */
  Peek: grpc.handleUnaryCall<_sluice_quota_v1_Admission, _sluice_quota_v1_DecisionInput>;
  
}

export interface QuotaDefinition extends grpc.ServiceDefinition {
  Admit: MethodDefinition<_sluice_quota_v1_AdmissionBatchInput, _sluice_quota_v1_DecisionBatchInput, _sluice_quota_v1_AdmissionBatch, _sluice_quota_v1_DecisionBatch>
  Peek: MethodDefinition<_sluice_quota_v1_AdmissionInput, _sluice_quota_v1_DecisionInput, _sluice_quota_v1_Admission, _sluice_quota_v1_Decision>
}
