import { z } from 'zod';
import { agentBuyer, agentConsent, agentLine, ofEmail, saidBesides } from './agent-session.events.ts';
import { defineEvents, personal, type EventOf } from './define-events.ts';
import { guid, instant, text } from './fields.ts';

/** In what is about a checkout that was begun with the cart. */
const checkout = { sessionId: guid };

const shapes = {
  AgentCartStarted: {
    /** Its own, and that of each session made from it. */
    basketId: guid,
    /** Address of the agent's profile. */
    agent: text,
    /** For people; null where the profile gives none. */
    agentName: text.nullable(),
    /** A signature proved that it was that agent. */
    isVerified: z.boolean(),
    /** The form of the answers: the version of the protocol, or the draft. */
    dialect: text,
    /** What the shop and the agent had in common; empty where its profile is not known. */
    capabilities: z.array(text),
    lines: z.array(agentLine),
    /** In which it is shown. */
    currency: text,
    startedAt: instant,
    expiresAt: instant,
  },
  /** By the agent, or by what it changed in the session made from the cart. */
  AgentCartLinesChanged: { lines: z.array(agentLine) },
  /** Null: the agent has taken it back. */
  AgentCartBuyerNamed: { buyer: personal(agentBuyer), ...ofEmail },
  AgentCartConsentGiven: { consent: agentConsent.nullable() },
  /** Everything that was submitted, in its order and as it was written. */
  AgentCartCodesSubmitted: { codes: z.array(text) },
  AgentCartContextGiven: { context: personal(saidBesides), attribution: personal(saidBesides) },
  /** In which it is shown. */
  AgentCartCurrencyChosen: { currency: text },
  /** With every replacement. */
  AgentCartExtended: { updatedAt: instant, expiresAt: instant },
  /** Its session has an id, and may have begun. */
  AgentCartCheckoutStarted: { ...checkout, startedAt: instant },
  /** Its session has begun: until that is over the cart changes only with it. */
  AgentCartConverted: {
    ...checkout,
    /** A signature proved who has begun it: from then on the cart is shown to requests with one only. */
    isVerified: z.literal(true).exactOptional(),
    convertedAt: instant,
  },
  /** That session is over without a sale, or has never begun. */
  AgentCartReopened: { ...checkout, reopenedAt: instant, expiresAt: instant },
  /** Its basket is bought, by the agent or by the shopper to whom it was handed over. */
  AgentCartCompleted: { invoiceId: guid, completedAt: instant },
  AgentCartCancelled: { cancelledAt: instant },
  AgentCartExpired: { expiredAt: instant },
};

/**
 * Carts of agents (docs/rules/agent-carts.md). Stream `agentCart-<cartId>`; the data subject is the basket of the cart.
 */
export const agentCartEvents = defineEvents('agent-protocol', shapes);
export type AgentCartEvent = EventOf<typeof agentCartEvents>;
