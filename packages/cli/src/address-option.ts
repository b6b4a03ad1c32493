import { isHostAndPort } from '@sluice/host';
import { UsageError } from './command.ts';

/** Without a port gRPC would take one of its own choice. */
export function readAddress(option: '--address' | '--quota', text: string): string {
  if (isHostAndPort(text)) return text;
  throw new UsageError(`${option} must be host:port, without a scheme`);
}
