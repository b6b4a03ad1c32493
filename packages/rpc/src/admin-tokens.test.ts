import { describe, expect, it } from 'vitest';
import { authenticateByTokens } from './admin-tokens.ts';

describe('admin tokens', () => {
  const authenticate = authenticateByTokens(
    new Map([
      ['ada', 'token-of-ada'],
      ['grace', 'token-of-grace'],
    ]),
  );

  it('name their owners', () => {
    expect(authenticate('token-of-ada')).toBe('ada');
    expect(authenticate('token-of-grace')).toBe('grace');
  });

  it.each(['', 'token-of-ad', 'token-of-adaa', 'TOKEN-OF-ADA', 'ada'])('are not %j', (token) => {
    expect(authenticate(token)).toBeUndefined();
  });
});
