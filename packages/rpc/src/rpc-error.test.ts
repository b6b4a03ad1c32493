import { Metadata, status } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { RPC_ERROR_CODES, RpcError, errorOfStatus, statusOfError } from './rpc-error.ts';

describe('an RpcError', () => {
  it.each(RPC_ERROR_CODES)('%s keeps its code and message across the wire', (code) => {
    const received = errorOfStatus(statusOfError(new RpcError(code, 'what went wrong')));
    expect(received).toMatchObject({ code, message: 'what went wrong', isAnswer: true });
  });

  it('has a different status for every code', () => {
    const statuses = RPC_ERROR_CODES.map((code) => statusOfError(new RpcError(code, '')).code);
    expect(new Set(statuses).size).toBe(RPC_ERROR_CODES.length);
  });

  it('is created from every status, and from unknown numbers', () => {
    const made = (code: number) =>
      errorOfStatus({ name: '', message: '', details: 'x', metadata: new Metadata(), code });
    const numbers = Object.values(status).filter((value) => typeof value === 'number');
    for (const code of numbers) {
      expect(RPC_ERROR_CODES).toContain(made(code).code);
      expect(made(code).isAnswer).toBe(false);
    }
    expect(made(99).code).toBe('internal');
  });

  it('is cut to a length that fits into a header, between two characters', () => {
    const { details } = statusOfError(new RpcError('internal', `${'x'.repeat(3_999)}😀`));
    expect(details).toBe(`${'x'.repeat(3_999)}\ufffd …`);
  });

  it('maps an unknown error to internal, and keeps it as the cause', () => {
    const cause = new TypeError('secret');
    const error = RpcError.from(cause);
    expect(error).toMatchObject({ code: 'internal', cause });
    expect(error.message).not.toContain('secret');
    expect(RpcError.from(error)).toBe(error);
  });
});
