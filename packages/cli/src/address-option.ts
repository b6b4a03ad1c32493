import { hasPathAlone } from '@sluice/contracts';
import { isHostAndPort } from '@sluice/host';
import { UsageError } from './command.ts';

/** Without a port gRPC would take one of its own choice. */
export function readAddress(option: '--address' | '--quota', text: string): string {
  if (isHostAndPort(text)) return text;
  throw new UsageError(`${option} must be host:port, without a scheme`);
}

/** The base address of a deployment elsewhere. A password in it is not repeated. */
export function readApiRoot(text: string): string {
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? '')) {
    throw new UsageError('--url must be an http or https address');
  }
  if (!hasPathAlone(text)) {
    throw new UsageError('--url must have no user, password, query or fragment');
  }
  // Paths follow it, and the gateway knows none with two slashes.
  return text.replace(/\/+$/, '');
}
