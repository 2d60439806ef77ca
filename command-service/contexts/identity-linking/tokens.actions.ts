import type { OAuthClient } from '#agents/oauth-clients.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { Streams } from '#command/engine/streams.ts';
import type { UnlinkReason } from '#events/agent-link.events.ts';
import { isoInstant } from '#kernel/clock.ts';
import { derivedId, newId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { ACCESS_TOKEN_SECONDS, type IssuedAccessTokens } from '#runtime/access-tokens.ts';
import { grantIn } from './agent-link.state.ts';
import { agentLinkStream } from './agent-link.stream.ts';
import { scopesOf } from './authorization-request.ts';
import { fitsChallenge, type AuthorizationCodes, type CodeRow } from './authorization-codes.ts';
import type { MembersApi } from '../members/member.commands.ts';
import type { RefreshTokens } from './refresh-tokens.ts';

export interface TokenActionDeps {
  readonly streams: Streams;
  readonly accessTokens: IssuedAccessTokens;
  readonly codes: AuthorizationCodes;
  readonly refreshTokens: RefreshTokens;
  readonly members: () => Pick<MembersApi, 'versionOf'>;
  readonly clock: { now(): number };
}

/** The client that asks, and the issuer that answers. */
export interface TokenRequest {
  readonly client: OAuthClient;
  readonly issuer: string;
  readonly meta: CommandMeta;
}

export interface TokenSet {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresInSeconds: number;
  readonly scopes: readonly string[];
}

const invalidGrant = (message: string): Rejection => new Rejection('invalid-grant', message);

/** The grant that a code leads to. */
export const grantOf = ({ _id }: Pick<CodeRow, '_id'>): string => derivedId('agent grant', _id);

const end = async (
  { streams, refreshTokens }: Pick<TokenActionDeps, 'streams' | 'refreshTokens'>,
  memberId: string,
  grantId: string,
  reason: UnlinkReason,
  meta: CommandMeta,
): Promise<void> => {
  const { commandId: _, ...own } = meta;
  await streams.send(agentLinkStream, memberId, { type: 'EndAgentGrant', grantId, reason }, own);
  await refreshTokens.remove(grantId);
};

const issue = (
  { accessTokens }: TokenActionDeps,
  { client: { clientId, timesDisabled }, issuer }: Pick<TokenRequest, 'client' | 'issuer'>,
  token: { readonly memberId: string; readonly grantId: string; readonly scopes: readonly string[] },
): string => accessTokens.issue({ ...token, clientId, timesDisabled, tokenId: newId() }, issuer);

const outdated = (): Rejection =>
  invalidGrant('The member has chosen another password since, or the account is gone.');

/** Whether the member has the password with which they said yes. */
const isStillAgreed = async (
  members: Pick<MembersApi, 'versionOf'>,
  { memberId, memberVersion }: CodeRow,
): Promise<boolean> => (await members.versionOf(memberId)) === memberVersion;

/** Checked before the code is spent, so that a client can correct a mistake within its minute. */
const usableCode = async (
  { codes, members }: TokenActionDeps,
  { client }: TokenRequest,
  {
    code,
    redirectUri,
    verifier,
  }: { readonly code: string; readonly redirectUri: string; readonly verifier: string },
): Promise<CodeRow> => {
  const row = await codes.find(code);
  if (row?.clientId !== client.clientId) throw invalidGrant('The code is wrong or expired.');
  if (row.redirectUri !== redirectUri)
    throw invalidGrant('redirect_uri: must be that of the authorization request.');
  if (!fitsChallenge(verifier, row.challenge))
    throw invalidGrant('code_verifier: must match the code_challenge of the authorization request.');
  if (row.timesDisabled !== client.timesDisabled)
    throw invalidGrant('The client was disabled since. The member has to link it again.');
  if (!(await isStillAgreed(members(), row))) throw outdated();
  return row;
};

/**
 * The member's stream decides who redeems a code: the command's id follows from it, so that of two requests
 * in any processes the second is a repeat (docs/rules/identity-linking.md#codes). Errors: Rejection `invalid-grant`.
 */
const redeem =
  (deps: TokenActionDeps) =>
  async (
    request: TokenRequest,
    given: { readonly code: string; readonly redirectUri: string; readonly verifier: string },
  ): Promise<TokenSet> => {
    const { client, meta } = request;
    const row = await usableCode(deps, request, given);
    const { memberId, scopes } = row;
    const grantId = grantOf(row);
    const endWith = async (reason: UnlinkReason, refusal: Rejection): Promise<never> => {
      await end(deps, memberId, grantId, reason, meta);
      throw refusal;
    };
    if (row.expiresAt <= deps.clock.now())
      return endWith('code-reused', invalidGrant('The code is wrong or expired.'));
    const { clientId, profileUri, timesDisabled } = client;
    const accessToken = issue(deps, request, { memberId, grantId, scopes });
    const consentedAt = isoInstant(row.issuedAt);
    const grant = { grantId, clientId, profileUri, scopes, timesDisabled };
    const link = { type: 'LinkAgent', ...grant, consentedAt } as const;
    const linked = await deps.streams
      .send(agentLinkStream, memberId, link, { ...meta, commandId: derivedId('oauth code', row._id) })
      .catch((error: unknown) => {
        if (error instanceof Rejection && error.code === 'entity-not-found')
          throw invalidGrant('The account is gone.');
        throw error;
      });
    if (linked.isRepeat)
      return endWith('code-reused', invalidGrant('The code has been used before. Its tokens were revoked.'));
    // Another password ends what is linked by then: this link may have come a moment later.
    if (!(await isStillAgreed(deps.members(), row))) return endWith('password-changed', outdated());
    const refreshToken = await deps.refreshTokens.begin(grantId, { memberId, clientId, scopes });
    return { accessToken, refreshToken, scopes, expiresInSeconds: ACCESS_TOKEN_SECONDS };
  };

/** Errors: Rejection `invalid-grant`, `invalid-scope`. */
const refresh =
  (deps: TokenActionDeps) =>
  async (
    request: TokenRequest,
    { refreshToken, scope }: { readonly refreshToken: string; readonly scope: string | undefined },
  ): Promise<TokenSet> => {
    const { client, meta } = request;
    const found = await deps.refreshTokens.find(refreshToken);
    if (found.kind === 'unknown' || found.row.clientId !== client.clientId)
      throw invalidGrant('The refresh token is wrong, expired or revoked.');
    const { row } = found;
    const { _id: grantId, memberId } = row;
    const reused = async (): Promise<Rejection> => {
      await end(deps, memberId, grantId, 'refresh-token-reused', meta);
      return invalidGrant('The refresh token has been used before. The member has to link the agent again.');
    };
    if (found.kind === 'spent') throw await reused();
    const { state: links } = await deps.streams.load(agentLinkStream, memberId);
    const isAlive = grantIn(links, grantId)?.timesDisabled === client.timesDisabled;
    if (found.kind === 'expired' || !isAlive) throw invalidGrant('The refresh token is expired or revoked.');
    const scopes = scopesOf(scope, row.scopes);
    if (scopes === null)
      throw new Rejection('invalid-scope', 'scope: must be among what the member has granted');
    // Issued before the old one is spent: a failure here leaves that valid.
    const accessToken = issue(deps, request, { memberId, grantId, scopes });
    const next = await deps.refreshTokens.rotate(refreshToken, row);
    if (next === null) throw await reused();
    return { accessToken, refreshToken: next, scopes, expiresInSeconds: ACCESS_TOKEN_SECONDS };
  };

/** Another client's token changes nothing, and the answer does not tell. */
const revoke =
  (deps: TokenActionDeps) =>
  async ({ client, issuer, meta }: TokenRequest, text: string): Promise<void> => {
    const found = await deps.refreshTokens.find(text);
    if (found.kind !== 'unknown') {
      const { _id: grantId, memberId, clientId } = found.row;
      if (clientId === client.clientId) await end(deps, memberId, grantId, 'client', meta);
      return;
    }
    const checked = deps.accessTokens.verify(text, issuer);
    if (checked.kind === 'refused' || checked.token.clientId !== client.clientId) return;
    const { memberId, grantId, tokenId } = checked.token;
    const command = { type: 'RevokeAgentToken', grantId, tokenId } as const;
    const commandId = derivedId('revoked token', tokenId);
    await deps.streams.send(agentLinkStream, memberId, command, { ...meta, commandId });
  };

/** What clients do at the token and revocation endpoints (docs/rules/identity-linking.md#codes). */
export const createTokenActions = (deps: TokenActionDeps) => ({
  redeem: redeem(deps),
  refresh: refresh(deps),
  revoke: revoke(deps),
});

export type TokenActions = ReturnType<typeof createTokenActions>;
