import { readFileSync } from 'node:fs';
import { useCertificates } from '@sluice/devkit';
import { ConfigurationError, readConfiguration, type Environment } from '@sluice/service';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  checkRpcServerSettings,
  readRpcClientTls,
  rpcServerSettings,
  rpcServerTls,
} from './rpc-settings.ts';
import type { ServerTls } from './rpc-tls.ts';

const { authority, server, client, stranger } = useCertificates();
const text = (path: string) => readFileSync(path, 'utf8');
const ServerSettings = z.object(rpcServerSettings).superRefine(checkRpcServerSettings);
const readRpcServerTls = (environment: Environment): ServerTls | undefined =>
  rpcServerTls(readConfiguration(ServerSettings, environment));

const ON = { GRPC_TLS: 'true' };
const PAIR = { GRPC_CERT_FILE: server.certificate, GRPC_KEY_FILE: server.key };

describe('a server', () => {
  it('does not use TLS by default', () => {
    expect(readRpcServerTls({})).toBeUndefined();
    expect(readRpcServerTls({ GRPC_TLS: 'false' })).toBeUndefined();
  });

  it('has a certificate, and requires one of a given authority', () => {
    const identity = { certificate: text(server.certificate), privateKey: text(server.key) };
    expect(readRpcServerTls({ ...ON, ...PAIR })).toEqual({ identity });
    const mutual = { ...ON, ...PAIR, GRPC_CLIENT_CA_FILE: authority };
    expect(readRpcServerTls(mutual)).toEqual({ identity, clientAuthority: text(authority) });
  });

  it('never falls back to plain text with TLS on, even with unchecked settings', () => {
    expect(() => rpcServerTls({ GRPC_TLS: true })).toThrow('GRPC_TLS: needs GRPC_CERT_FILE');
  });

  it.each([
    ['TLS without a certificate', { ...ON }],
    ['a certificate without its key', { GRPC_CERT_FILE: '/secret.pem', ...ON }],
    ['certificates while it talks in the clear', { GRPC_CERT_FILE: '/a', GRPC_KEY_FILE: '/a' }],
    ['an authority while it talks in the clear', { GRPC_CLIENT_CA_FILE: '/secret.pem' }],
    ['a switch that is neither on nor off', { GRPC_TLS: 'yes' }],
    ['an authority that cannot be read', { GRPC_CLIENT_CA_FILE: '/no/such', ...ON, ...PAIR }],
    ['an authority that is a key', { GRPC_CLIENT_CA_FILE: server.key, ...ON, ...PAIR }],
  ])('refuses %s by name', (_, environment) => {
    const [name] = Object.keys(environment);
    expect(() => readRpcServerTls(environment)).toThrow(ConfigurationError);
    expect(() => readRpcServerTls(environment)).toThrow(name);
    expect(() => readRpcServerTls(environment)).not.toThrow(/secret|BEGIN/);
  });
});

describe('a caller', () => {
  it('does not use TLS by default', () => {
    expect(readRpcClientTls({})).toBeUndefined();
  });

  it('trusts the system unless an authority is set, and shows a certificate if it has one', () => {
    expect(readRpcClientTls(ON)).toEqual({});
    const pair = { GRPC_CERT_FILE: client.certificate, GRPC_KEY_FILE: client.key };
    expect(readRpcClientTls({ ...ON, ...pair, GRPC_CA_FILE: authority })).toEqual({
      certificateAuthority: text(authority),
      identity: { certificate: text(client.certificate), privateKey: text(client.key) },
    });
  });

  const none = 'is not a PEM file of certificates';
  const notTheKey = 'is not a PEM file of the private key of GRPC_CERT_FILE, without a passphrase';
  it.each([
    ['GRPC_CA_FILE', '/no/such/file', 'the file /no/such/file cannot be read'],
    ['GRPC_CA_FILE', import.meta.filename, none],
    ['GRPC_CERT_FILE', server.key, none],
    ['GRPC_KEY_FILE', server.certificate, notTheKey],
    ['GRPC_KEY_FILE', stranger.key, notTheKey],
  ])('refuses %s=%s', (name, path, problem) => {
    const read = () => readRpcClientTls({ ...ON, ...PAIR, [name]: path });
    expect(read).toThrow(new ConfigurationError(`a setting is wrong:\n  ${name}: ${problem}`));
  });

  it('refuses all settings that would be ignored, in one message', () => {
    const read = () => readRpcClientTls({ GRPC_CA_FILE: '/a', GRPC_KEY_FILE: '/a' });
    const lines = [
      'settings are wrong:',
      '  GRPC_CERT_FILE: goes together with GRPC_KEY_FILE',
      '  GRPC_KEY_FILE: is for TLS: set GRPC_TLS=true',
      '  GRPC_CA_FILE: is for TLS: set GRPC_TLS=true',
    ];
    expect(read).toThrow(new ConfigurationError(lines.join('\n')));
  });
});
