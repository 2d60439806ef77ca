import jsonwebtoken from 'jsonwebtoken';

/** Signed tokens (JWT, HS256) that name a backoffice user. What they may do is looked up, never read from a token. */
export interface Tokens {
  issue(userId: string, hours: number): { readonly token: string; readonly expiresUtc: string };
  /** The user that a token names; null for one that is forged, expired or something else. */
  read(token: string): string | null;
}

const audience = 'backoffice';
const algorithm = 'HS256';

/** `key`: 32 bytes of their own. `now`: the shop's time in milliseconds. */
export const createTokens = (key: Buffer, now: () => number): Tokens => ({
  issue: (userId, hours) => {
    const issuedAt = Math.floor(now() / 1000);
    const expiresAt = issuedAt + Math.round(hours * 3600);
    const claims = { sub: userId, aud: audience, iat: issuedAt, exp: expiresAt };
    const token = jsonwebtoken.sign(claims, key, { algorithm });
    return { token, expiresUtc: new Date(expiresAt * 1000).toISOString() };
  },
  read: (token) => {
    try {
      const clockTimestamp = Math.floor(now() / 1000);
      const claims = jsonwebtoken.verify(token, key, { algorithms: [algorithm], audience, clockTimestamp });
      return typeof claims === 'object' && typeof claims.sub === 'string' ? claims.sub : null;
    } catch {
      return null;
    }
  },
});
