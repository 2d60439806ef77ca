import { z } from 'zod';
import { defineEvents, type EventOf } from './define-events.ts';
import { count, guid, instant, text } from './fields.ts';

/** Why an agent no longer acts for a member. */
export const unlinkReason = z.enum([
  /** The member ended it. */
  'member',
  /** The agent gave it back. */
  'client',
  /** A code, or a refresh token, came a second time: it may be stolen. */
  'code-reused',
  'refresh-token-reused',
  /** No refresh within the life of a refresh token. */
  'expired',
  /** The member linked the agent more often than grants are kept. */
  'superseded',
  /** The member chose another password; a stranger may have linked the agent. */
  'password-changed',
  /** The account is gone. */
  'account-closed',
]);
export type UnlinkReason = z.output<typeof unlinkReason>;

/** How often the client had been disabled when the member consented; absent: never. */
const timesDisabled = count.optional();

/** Which agents act for a member (docs/rules/identity-linking.md). Stream `agentLinks-<memberId>`. */
export const agentLinkEvents = defineEvents('identity-linking', {
  /** The member has consented, and the agent has redeemed the code. */
  AgentLinked: {
    grantId: guid,
    clientId: text,
    profileUri: text,
    scopes: z.array(z.string()),
    timesDisabled,
    at: instant,
  },
  /** Every token of the grant is dead. */
  AgentUnlinked: { grantId: guid, clientId: text, reason: unlinkReason, timesDisabled, at: instant },
  /** One access token is dead before its time. */
  AgentTokenRevoked: { grantId: guid, tokenId: guid, at: instant },
  /** The account is gone: nothing can be linked to it any more. */
  AgentLinksClosed: { at: instant },
});
export type AgentLinkEvent = EventOf<typeof agentLinkEvents>;
