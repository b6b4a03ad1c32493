import {
  Client,
  type CallOptions,
  type ClientDuplexStream,
  type ClientUnaryCall,
  type Metadata,
  type MethodDefinition,
  type handleBidiStreamingCall,
  type handleUnaryCall,
  type requestCallback,
} from '@grpc/grpc-js';
import {
  decodeAdmission,
  decodeAdmissions,
  encodeAdmission,
  encodeAdmissions,
  type ReceivedAdmission,
  type SentAdmission,
} from './wire/admission-messages.ts';
import {
  decodeDecision,
  decodeDecisionBatch,
  encodeDecision,
  encodeDecisionBatch,
  type DecisionBatch,
  type NumberedDecision,
} from './wire/decision-messages.ts';

/** Both sides of the service in proto/quota/v1/quota.proto. */

export const QUOTA_SERVICE_NAME = 'sluice.quota.v1.Quota';

/** The type that one side serializes may differ from the type that the other side deserializes. */
type Method<Sent, Received, Reply> = Omit<
  MethodDefinition<Sent, Reply>,
  'requestDeserialize' | 'responseDeserialize'
> & {
  readonly requestDeserialize: (bytes: Buffer) => Received;
  readonly responseDeserialize: (bytes: Buffer) => Reply;
};

const ADMIT: Method<readonly SentAdmission[], ReceivedAdmission[], DecisionBatch> = {
  path: `/${QUOTA_SERVICE_NAME}/Admit`,
  requestStream: true,
  responseStream: true,
  requestSerialize: encodeAdmissions,
  requestDeserialize: decodeAdmissions,
  responseSerialize: encodeDecisionBatch,
  responseDeserialize: decodeDecisionBatch,
};

const PEEK: Method<SentAdmission, ReceivedAdmission, NumberedDecision> = {
  path: `/${QUOTA_SERVICE_NAME}/Peek`,
  requestStream: false,
  responseStream: false,
  requestSerialize: encodeAdmission,
  requestDeserialize: decodeAdmission,
  responseSerialize: encodeDecision,
  responseDeserialize: decodeDecision,
};

export const QUOTA_SERVICE = { Admit: ADMIT, Peek: PEEK };

/** The handlers of the service. */
export interface QuotaImplementation {
  readonly Admit: handleBidiStreamingCall<ReceivedAdmission[], DecisionBatch>;
  readonly Peek: handleUnaryCall<ReceivedAdmission, NumberedDecision>;
}

export type AdmitCall = ClientDuplexStream<readonly SentAdmission[], DecisionBatch>;

/** A client for one replica of the service. */
export class QuotaStub extends Client {
  admit(): AdmitCall {
    return this.makeBidiStreamRequest(
      ADMIT.path,
      ADMIT.requestSerialize,
      ADMIT.responseDeserialize,
    );
  }

  peek(
    admission: SentAdmission,
    metadata: Metadata,
    options: CallOptions,
    callback: requestCallback<NumberedDecision>,
  ): ClientUnaryCall {
    return this.makeUnaryRequest(
      PEEK.path,
      PEEK.requestSerialize,
      PEEK.responseDeserialize,
      admission,
      metadata,
      options,
      callback,
    );
  }
}
