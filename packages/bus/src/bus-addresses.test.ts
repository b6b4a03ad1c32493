import { describe, expect, it } from 'vitest';
import { BusAddressError, parseBusAddresses } from './bus-addresses.ts';

describe('addresses of the bus', () => {
  it.each([
    ['nats://bus.example:4333', 'bus.example:4333'],
    ['nats://bus.example', 'bus.example:4222'],
    ['nats://bus.example:80/', 'bus.example:80'],
    ['nats://[::1]:4333', '[::1]:4333'],
    ['127.0.0.1:4333', '127.0.0.1:4333'],
    [' localhost:4333 ', 'localhost:4333'],
    ['nats://LOCALHOST', 'localhost:4222'],
    ['nats://10.1:80', '10.0.0.1:80'],
    ['nats://0x0a.1', '10.0.0.1:4222'],
    ['nats://10.0.0.1.:4333', '10.0.0.1:4333'],
    ['nats://[0:0::1]:80', '[::1]:80'],
  ])('%j leads to %s, with neither login nor TLS', (address, server) => {
    expect(parseBusAddresses([address])).toEqual({
      servers: [server],
      login: undefined,
      secure: false,
    });
  });

  it.each([
    ['nats://me:secret@bus:4222', { user: 'me', password: 'secret' }],
    ['me:secret@bus:4222', { user: 'me', password: 'secret' }],
    ['nats://m%40e:p%25%2F%2C%3A@bus', { user: 'm@e', password: 'p%/,:' }],
    ['nats://t%2Bken@bus', { token: 't+ken' }],
  ])('the login in %j is not part of the server', (address, login) => {
    expect(parseBusAddresses([address])).toEqual({ servers: ['bus:4222'], login, secure: false });
  });

  it('of a cluster may name their common login once', () => {
    const addresses = ['tls://me:secret@a', 'tls://me:secret@b', 'tls://c'];
    expect(parseBusAddresses(addresses)).toEqual({
      servers: ['a:4222', 'b:4222', 'c:4222'],
      login: { user: 'me', password: 'secret' },
      secure: true,
    });
  });

  it.each([
    ['of another protocol', 'http://bus:4222'],
    ['of a web socket', 'wss://me:secret@bus'],
    ['without a host', 'nats://'],
    ['of a port that is none', 'nats://bus:secret'],
    ['of a port out of range', 'nats://bus:70000'],
    ['of no port', 'nats://bus:0'],
    ['of a number that is none', 'nats://256.0.0.1'],
    ['with a path', 'nats://bus/secret'],
    ['with a password cut short by a sign', 'nats://me:12#secret@bus'],
    ['with a bare % in its password', 'nats://me:secret%@bus'],
    ['with a password of nobody', 'nats://:secret@bus'],
    ['that mixes TLS and none', 'nats://me:secret@a,tls://me:secret@b'],
    ['of two users', 'nats://me:secret@a,nats://you:secret@b'],
    ['of a token and a user', 'nats://secret@a,nats://me:secret@b'],
  ])('%s are refused, and the message does not repeat them', (_, addresses) => {
    const parse = () => parseBusAddresses(addresses.split(','));
    expect(parse).toThrow(BusAddressError);
    expect(parse).toThrow(/^must /);
    expect(parse).not.toThrow(/secret/);
  });
});
