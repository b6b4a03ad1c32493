import type { Socket } from 'node:net';

/** Not of Node's interface, though its own timeouts of sockets look there: nothing else tells of a write that goes on. */
type SystemSocket = Socket & { readonly _handle?: SystemSide | null };

interface SystemSide {
  /** Given to the system's side of the socket. */
  readonly bytesWritten: number;
  /** Of that, what the system has not taken. */
  readonly writeQueueSize: number;
}

/**
 * What the system has taken of all that was written to a socket. By `writableLength` nothing of a write is taken
 * until all of it is, and whatever waits behind a slow write leaves as one. The system takes more once a third of
 * its buffer is free, so that a client is seen to read in steps of that.
 */
export function takenBytes(socket: SystemSocket): number {
  const { _handle: handle } = socket;
  // Before it is connected, and once it is closed.
  if (handle === undefined || handle === null) return socket.bytesWritten - socket.writableLength;
  return handle.bytesWritten - handle.writeQueueSize;
}
