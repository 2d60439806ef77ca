import { defineEvents, type EventOf } from './define-events.ts';
import { instant, text } from './fields.ts';

/** Which registered agents may not act for members (docs/rules/identity-linking.md#disabling). One stream. */
export const agentClientEvents = defineEvents('identity-linking', {
  /** Every consent, code and token that it had is dead for good. */
  AgentClientDisabled: { clientId: text, reason: text, at: instant },
  /** It may ask members again. */
  AgentClientEnabled: { clientId: text, reason: text.nullable(), at: instant },
});
export type AgentClientEvent = EventOf<typeof agentClientEvents>;
