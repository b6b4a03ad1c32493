import type { ChannelOptions } from '@grpc/grpc-js';

const MEBIBYTE = 1024 * 1024;

const shared: ChannelOptions = {
  // The connection to a frozen or unplugged peer stays open. Only a ping without an answer shows that the peer is lost.
  'grpc.keepalive_time_ms': 5_000,
  'grpc.keepalive_timeout_ms': 2_000,
  'grpc.max_receive_message_length': 16 * MEBIBYTE,
  'grpc.max_send_message_length': 16 * MEBIBYTE,
  'grpc.enable_channelz': 0,
};

export const SERVER_SETTINGS: ChannelOptions = shared;

export const CLIENT_SETTINGS: ChannelOptions = {
  ...shared,
  'grpc.keepalive_permit_without_calls': 1,
  // A restarted service should be used within a second. The default backoff grows to two minutes:
  // https://github.com/grpc/grpc/blob/master/doc/connection-backoff.md
  'grpc.initial_reconnect_backoff_ms': 50,
  'grpc.max_reconnect_backoff_ms': 400,
  'grpc.dns_min_time_between_resolutions_ms': 1_000,
  // The caller decides whether a call may be repeated, since that depends on the call.
  'grpc.enable_retries': 0,
  // Services are never behind a web proxy, so proxy variables in the environment are ignored.
  'grpc.enable_http_proxy': 0,
  'grpc.use_local_subchannel_pool': 1,
};
