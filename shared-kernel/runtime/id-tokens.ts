import { createCipheriv, createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { keyFor } from './keys.ts';

/**
 * Tokens that carry an id, encrypted, and prove what is said of it. They are worked out, never kept: the log, the views
 * and the files hold none of them, and nothing has to be searched for one.
 */
export interface IdTokens {
  /** 43 characters. */
  tokenOf(id: string, said: string | number): string;
  /** The id in a token, before the token is checked; null for what has not the form of one. */
  idIn(token: string): string | null;
  /** In constant time. */
  isTokenOf(token: string, id: string, said: string | number): boolean;
}

const form = /^[\w-]{43}$/;
const HALF = 16;

const bytesOf = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex');

const idOf = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

/**
 * In constant time. As text: different last letters can decode to the same bytes, but only one is the token.
 */
export const isSameToken = (given: string, expected: string): boolean => {
  const wanted = Buffer.from(expected);
  const padded = Buffer.alloc(wanted.length);
  const length = padded.write(given);
  return timingSafeEqual(padded, wanted) && length === given.length;
};

/** A keyed hash of all that is said, and the id encrypted under that hash (a synthetic IV, as in RFC 5297). */
export const createIdTokens = (applicationKey: Buffer, purpose: string): IdTokens => {
  const hashKey = createSecretKey(keyFor(applicationKey, `${purpose} tokens`));
  const cipherKey = keyFor(applicationKey, `${purpose} token ids`);

  const hashOf = (id: string, said: string | number): Buffer =>
    createHmac('sha256', hashKey).update(`${id} ${said}`).digest().subarray(0, HALF);

  /** Turns an id into its encrypted form, and back. */
  const masked = (hash: Buffer, id: Buffer): Buffer =>
    createCipheriv('aes-256-ctr', cipherKey, hash).update(id);

  const tokenOf = (id: string, said: string | number): string => {
    const hash = hashOf(id, said);
    return Buffer.concat([hash, masked(hash, bytesOf(id))]).toString('base64url');
  };

  return {
    tokenOf,
    idIn: (token) => {
      if (!form.test(token)) return null;
      const bytes = Buffer.from(token, 'base64url');
      return idOf(masked(bytes.subarray(0, HALF), bytes.subarray(HALF)));
    },
    isTokenOf: (token, id, said) => isSameToken(token, tokenOf(id, said)),
  };
};
