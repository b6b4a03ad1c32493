import { hasPathAlone, isHostAndPort } from '@sluice/service';
import { UsageError } from './command.ts';

/** Reads `host:port`. The port is required, because gRPC would otherwise use its default port. */
export function readAddress(option: '--address' | '--quota' | '--usage', text: string): string {
  if (isHostAndPort(text)) return text;
  throw new UsageError(`${option} must be host:port, without a scheme`);
}

/** Reads the base URL of a remote deployment. Errors do not repeat it, because it may hold a password. */
export function readApiRoot(text: string): string {
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? '')) {
    throw new UsageError('--url must be an http or https address');
  }
  if (!hasPathAlone(text)) {
    throw new UsageError('--url must have no user, password, query or fragment');
  }
  // Slashes at the end are removed. Paths are appended to the URL, and the gateway has no route that contains `//`.
  return text.replace(/\/+$/, '');
}
