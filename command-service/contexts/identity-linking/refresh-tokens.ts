import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Document } from '#kernel/projection.ts';
import type { CodeStoreDeps } from './authorization-codes.ts';

/** The refresh tokens of a grant, one of which is valid. Its id is the grant's. */
export interface RefreshRow extends Document {
  readonly memberId: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly tokenHash: string;
  readonly expiresAt: number;
}

/** `spent`: it was used before, and may be stolen. */
export type FoundToken =
  | { readonly kind: 'good' | 'spent' | 'expired'; readonly row: RefreshRow }
  | { readonly kind: 'unknown' };

export interface RefreshTokens {
  /** The first one of a grant. */
  begin(grantId: string, row: Pick<RefreshRow, 'memberId' | 'clientId' | 'scopes'>): Promise<string>;
  find(token: string): Promise<FoundToken>;
  /** The next one. Null: another request has spent this one meanwhile. */
  rotate(token: string, row: RefreshRow): Promise<string | null>;
  remove(grantId: string): Promise<void>;
}

export const refreshTokens = 'oauthRefreshTokens';
const LIFE_MS = 30 * 24 * 3600 * 1000;

const form = /^([0-9a-f-]{36})\.([\w-]{43})\.([\w-]{43})$/;

/**
 * A token names its grant and is signed, so that a spent one is recognised without a list of all that were spent, and a
 * made-up one costs no read. Declares its collection: call it once at start.
 */
export const createRefreshTokens = async ({
  stateStore,
  keyedHash,
  clock,
}: CodeStoreDeps): Promise<RefreshTokens> => {
  await stateStore.declare(refreshTokens, [{ fields: ['expiresAt'] }]);
  const signatureOf = (text: string): string => keyedHash('refresh token', text);
  const hashOf = (token: string): string => keyedHash('stored refresh token', token);
  const next = (grantId: string): string => {
    const text = `${grantId}.${randomBytes(32).toString('base64url')}`;
    return `${text}.${signatureOf(text)}`;
  };
  const grantOf = (token: string): string | null => {
    const [, grantId, secret, signature] = form.exec(token) ?? [];
    if (grantId === undefined || signature === undefined) return null;
    const expected = Buffer.from(signatureOf(`${grantId}.${secret}`));
    return timingSafeEqual(Buffer.from(signature), expected) ? grantId : null;
  };
  return {
    begin: async (grantId, row) => {
      const token = next(grantId);
      const whole: RefreshRow = {
        _id: grantId,
        ...row,
        tokenHash: hashOf(token),
        expiresAt: clock.now() + LIFE_MS,
      };
      await stateStore.insertIfAbsent(refreshTokens, whole);
      return token;
    },
    find: async (token) => {
      const grantId = grantOf(token);
      const row = grantId === null ? null : await stateStore.get<RefreshRow>(refreshTokens, grantId);
      if (!row) return { kind: 'unknown' };
      if (row.tokenHash !== hashOf(token)) return { kind: 'spent', row };
      return { kind: row.expiresAt > clock.now() ? 'good' : 'expired', row };
    },
    rotate: async (token, { _id }) => {
      const following = next(_id);
      const set = { tokenHash: hashOf(following), expiresAt: clock.now() + LIFE_MS };
      const isMine = { _id, tokenHash: hashOf(token) };
      const rotated = await stateStore.updateIf(refreshTokens, isMine, { set });
      return rotated === null ? null : following;
    },
    remove: async (grantId) => void (await stateStore.deleteMany(refreshTokens, { _id: grantId }, 1)),
  };
};
