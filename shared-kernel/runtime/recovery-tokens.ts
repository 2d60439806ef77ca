import { createIdTokens } from './id-tokens.ts';

/** A link by which a shopper comes back: the abandoned checkout, and how many links it has had, this one included. */
export interface RecoveryIssue {
  readonly recordId: string;
  readonly issue: number;
}

/** Tokens of recovery links: each names the record of a checkout, and which of its links it is. */
export interface RecoveryTokens {
  /** 43 characters. */
  tokenOf(issued: RecoveryIssue): string;
  /** The record that a token names, before the token is checked; null for what has not the form of one. */
  recordIdOf(token: string): string | null;
  /** In constant time. */
  isTokenOf(token: string, issued: RecoveryIssue): boolean;
}

export const createRecoveryTokens = (applicationKey: Buffer): RecoveryTokens => {
  const tokens = createIdTokens(applicationKey, 'recovery');
  return {
    tokenOf: ({ recordId, issue }) => tokens.tokenOf(recordId, issue),
    recordIdOf: (token) => tokens.idIn(token),
    isTokenOf: (token, { recordId, issue }) => tokens.isTokenOf(token, recordId, issue),
  };
};
