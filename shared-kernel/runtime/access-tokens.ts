import { createPublicKey, type KeyObject } from 'node:crypto';
import { createRequire } from 'node:module';
import type jsonwebtoken from 'jsonwebtoken';
import type { AccessToken, AccessTokens, TokenCheck } from '#agents/access-tokens.ts';
import type { FindClient } from '#agents/oauth-clients.ts';
import type { OwnKeys } from '#agents/own-keys.ts';
import type { PublishedKey } from '#values/signing-key.ts';

const require = createRequire(import.meta.url);

/** Loaded with the first token: most shops have none. */
const library = (): typeof jsonwebtoken => require('jsonwebtoken') as typeof jsonwebtoken;

const algorithm = 'ES256';
/** Tells them from anything else that the shop signs with these keys (RFC 9068). */
const mediaType = 'at+jwt';
export const ACCESS_TOKEN_SECONDS = 3600;

export interface AccessTokenOptions {
  readonly ownKeys: OwnKeys;
  /** The clients that may act for members now: tokens of any other are refused. */
  readonly findClient: FindClient;
  /** Whether a grant or a token was ended before its time. */
  readonly hasEnded: (id: string) => boolean;
  /** Throws while this process does not know what was ended, or which keys there are. */
  readonly refuseUnusable: () => void;
  /** The shop's time in milliseconds. */
  readonly now: () => number;
}

export interface IssuedAccessTokens extends AccessTokens {
  /** Signed with the key that is active now. Errors: `EngineUnavailable` while none is known. */
  issue(token: Omit<AccessToken, 'profileUri'>, issuer: string): string;
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const signedBy = ({ kid, sign }: ReturnType<OwnKeys['signer']>, claims: object): string => {
  const text = `${encoded({ alg: algorithm, typ: mediaType, kid })}.${encoded(claims)}`;
  return `${text}.${sign(Buffer.from(text)).toString('base64url')}`;
};

const refused: TokenCheck = { kind: 'refused' };

/** The keys that are accepted now, each read once. */
const keyFinder = (ownKeys: OwnKeys): ((kid: string | undefined) => KeyObject | null) => {
  const known = new WeakMap<PublishedKey, KeyObject>();
  return (kid) => {
    const published = kid === undefined ? undefined : ownKeys.find(kid);
    if (!published) return null;
    const key = known.get(published) ?? createPublicKey({ key: { ...published }, format: 'jwk' });
    known.set(published, key);
    return key;
  };
};

/** Access tokens are JWTs that every process checks by itself (docs/rules/identity-linking.md#access-tokens). */
export const createAccessTokens = (options: AccessTokenOptions): IssuedAccessTokens => {
  const { ownKeys, findClient, hasEnded, refuseUnusable, now } = options;
  const keyOf = keyFinder(ownKeys);
  const seconds = (): number => Math.floor(now() / 1000);
  const claimsOf = (bearer: string, issuer: string): jsonwebtoken.JwtPayload | null => {
    const header = library().decode(bearer, { complete: true })?.header;
    const key = header?.typ === mediaType ? keyOf(header.kid) : null;
    if (!key) return null;
    const claims = library().verify(bearer, key, {
      algorithms: [algorithm],
      issuer,
      audience: issuer,
      clockTimestamp: seconds(),
    });
    return typeof claims === 'string' ? null : claims;
  };
  return {
    issue: ({ memberId, clientId, timesDisabled, scopes, tokenId, grantId }, issuer) => {
      const signer = ownKeys.signer();
      const iat = seconds();
      const claims = {
        iss: issuer,
        sub: memberId,
        aud: issuer,
        client_id: clientId,
        scope: scopes.join(' '),
        iat,
        exp: iat + ACCESS_TOKEN_SECONDS,
        jti: tokenId,
        grant_id: grantId,
        ...(timesDisabled > 0 && { times_disabled: timesDisabled }),
      };
      return signedBy(signer, claims);
    },
    verify: (bearer, issuer) => {
      refuseUnusable();
      try {
        const claims = claimsOf(bearer, issuer);
        if (!claims) return refused;
        const {
          sub: memberId = '',
          jti: tokenId = '',
          client_id: clientId,
          scope,
          grant_id: grantId,
          times_disabled: timesDisabled = 0,
        } = claims;
        const client = findClient(clientId);
        if (!client || client.timesDisabled !== timesDisabled) return refused;
        if (hasEnded(grantId) || hasEnded(tokenId)) return refused;
        const scopes = String(scope).split(' ');
        const { profileUri } = client;
        const token = { memberId, clientId, timesDisabled, profileUri, scopes, tokenId, grantId };
        return { kind: 'verified', token };
      } catch {
        return refused;
      }
    },
  };
};
