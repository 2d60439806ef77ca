import { createCipheriv, createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { keyFor } from './keys.ts';

/** A link by which a shopper comes back: the abandoned checkout, and how many links it has had, this one included. */
export interface RecoveryIssue {
  readonly recordId: string;
  readonly issue: number;
}

/**
 * Tokens of recovery links. A token is worked out, never kept: the log, the views and the files hold nothing that opens
 * a basket. It carries its record's id, encrypted, so that nothing has to be searched for it.
 */
export interface RecoveryTokens {
  /** 43 characters. */
  tokenOf(issued: RecoveryIssue): string;
  /** The record that a token names, before the token is checked; null for what has not the form of one. */
  recordIdOf(token: string): string | null;
  /** In constant time. */
  isTokenOf(token: string, issued: RecoveryIssue): boolean;
}

const form = /^[\w-]{43}$/;
const HALF = 16;

const bytesOf = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex');

const idOf = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

/** A keyed hash of record and issue, and the record's id encrypted under that hash (a synthetic IV, as in RFC 5297). */
export const createRecoveryTokens = (applicationKey: Buffer): RecoveryTokens => {
  const hashKey = createSecretKey(keyFor(applicationKey, 'recovery tokens'));
  const cipherKey = keyFor(applicationKey, 'recovery token ids');

  const hashOf = ({ recordId, issue }: RecoveryIssue): Buffer =>
    createHmac('sha256', hashKey).update(`${recordId} ${issue}`).digest().subarray(0, HALF);

  /** Turns an id into its encrypted form, and back. */
  const masked = (hash: Buffer, id: Buffer): Buffer =>
    createCipheriv('aes-256-ctr', cipherKey, hash).update(id);

  const bytesOfToken = (issued: RecoveryIssue): Buffer => {
    const hash = hashOf(issued);
    return Buffer.concat([hash, masked(hash, bytesOf(issued.recordId))]);
  };

  return {
    tokenOf: (issued) => bytesOfToken(issued).toString('base64url'),
    recordIdOf: (token) => {
      if (!form.test(token)) return null;
      const bytes = Buffer.from(token, 'base64url');
      return idOf(masked(bytes.subarray(0, HALF), bytes.subarray(HALF)));
    },
    isTokenOf: (token, issued) => {
      // As text: different last letters can decode to the same bytes, but only one is the token.
      const expected = Buffer.from(bytesOfToken(issued).toString('base64url'));
      const given = Buffer.alloc(expected.length);
      const length = given.write(token);
      return timingSafeEqual(given, expected) && length === token.length;
    },
  };
};
