import type { ChannelOptions } from '@grpc/grpc-js';

const MEBIBYTE = 1024 * 1024;

const shared: ChannelOptions = {
  // A frozen or unplugged peer keeps its connection open: only an unanswered ping tells.
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
  // The default waits up to two minutes, and a restarted neighbour should be used within a second.
  'grpc.initial_reconnect_backoff_ms': 50,
  'grpc.max_reconnect_backoff_ms': 400,
  'grpc.dns_min_time_between_resolutions_ms': 1_000,
  // Whether a call may be repeated is decided by whoever knows what it does.
  'grpc.enable_retries': 0,
  // Neighbours are never behind a web proxy, whatever the environment says.
  'grpc.enable_http_proxy': 0,
  'grpc.use_local_subchannel_pool': 1,
};
