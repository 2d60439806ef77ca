import { createHash, randomBytes } from 'node:crypto';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { AuthorizationRequest } from './authorization-request.ts';

/** What a member has agreed to. */
export interface CodeRow extends Document {
  readonly memberId: string;
  /** The member's version when they agreed. */
  readonly memberVersion: number;
  readonly clientId: string;
  /** As the client's when the member agreed. */
  readonly timesDisabled: number;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly scopes: readonly string[];
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** Longer than it is valid: a code that comes again ends the grant it led to. */
  readonly keptUntil: number;
}

export interface AuthorizationCodes {
  issue(member: Pick<CodeRow, 'memberId' | 'memberVersion'>, request: AuthorizationRequest): Promise<string>;
  /** Null: there is no such code. One that has expired is returned too. */
  find(code: string): Promise<CodeRow | null>;
}

export interface CodeStoreDeps {
  readonly stateStore: DocumentStore;
  readonly keyedHash: (kind: string, value: string) => string;
  readonly clock: { now(): number };
}

export const oauthCodes = 'oauthCodes';
const LIFE_MS = 60_000;
const KEPT_MS = 24 * 3600 * 1000;

/** Whether the verifier's hash is the challenge of the request (RFC 7636). */
export const fitsChallenge = (verifier: string, challenge: string): boolean =>
  createHash('sha256').update(verifier).digest('base64url') === challenge;

/** Codes; the state store knows only their keyed hashes. Declares its collection: call it once at start. */
export const createAuthorizationCodes = async ({
  stateStore,
  keyedHash,
  clock,
}: CodeStoreDeps): Promise<AuthorizationCodes> => {
  await stateStore.declare(oauthCodes, [{ fields: ['keptUntil'] }]);
  const idOf = (code: string): string => keyedHash('oauth code', code);
  return {
    issue: async ({ memberId, memberVersion }, { client, redirectUri, challenge, scopes }) => {
      const code = randomBytes(32).toString('base64url');
      const now = clock.now();
      const row: CodeRow = {
        _id: idOf(code),
        memberId,
        memberVersion,
        clientId: client.clientId,
        timesDisabled: client.timesDisabled,
        redirectUri,
        challenge,
        scopes,
        issuedAt: now,
        expiresAt: now + LIFE_MS,
        keptUntil: now + KEPT_MS,
      };
      await stateStore.insertIfAbsent(oauthCodes, row);
      return code;
    },
    find: (code) => stateStore.get<CodeRow>(oauthCodes, idOf(code)),
  };
};
