import { createRequire } from 'node:module';
import type jsonwebtoken from 'jsonwebtoken';

export interface TokenClaims {
  readonly userId: string;
  /** The user's version at issue; 0 in tokens older than versions. */
  readonly version: number;
}

/** Signed tokens (JWT, HS256) that name a person. Permissions are looked up, never read from a token. */
export interface Tokens {
  /** `version`: the token ends when the user's version grows. */
  issue(
    userId: string,
    hours: number,
    version?: number,
  ): { readonly token: string; readonly expiresUtc: string };
  /** Whom a token names; null if it is forged, expired or no such token. */
  read(token: string): TokenClaims | null;
}

const require = createRequire(import.meta.url);

/** Loaded with the first token: its sixty modules take a thirtieth of a start, and shoppers need none. */
const library = (): typeof jsonwebtoken => require('jsonwebtoken') as typeof jsonwebtoken;

const algorithm = 'HS256';

/** Each audience has a key of its own. */
type Audience = 'backoffice' | 'member';

/** `key`: 32 bytes. `now`: the shop's time in milliseconds. */
export const createTokens = (key: Buffer, now: () => number, audience: Audience = 'backoffice'): Tokens => ({
  issue: (userId, hours, version = 0) => {
    const issuedAt = Math.floor(now() / 1000);
    const expiresAt = issuedAt + Math.round(hours * 3600);
    const claims = { sub: userId, aud: audience, iat: issuedAt, exp: expiresAt, ver: version };
    const token = library().sign(claims, key, { algorithm });
    return { token, expiresUtc: new Date(expiresAt * 1000).toISOString() };
  },
  read: (token) => {
    try {
      const clockTimestamp = Math.floor(now() / 1000);
      const claims = library().verify(token, key, { algorithms: [algorithm], audience, clockTimestamp });
      if (typeof claims !== 'object' || typeof claims.sub !== 'string') return null;
      return { userId: claims.sub, version: typeof claims['ver'] === 'number' ? claims['ver'] : 0 };
    } catch {
      return null;
    }
  },
});
