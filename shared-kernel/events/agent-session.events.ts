import { z } from 'zod';
import { defineEvents, personal, type EventOf } from './define-events.ts';
import { guid, instant, quantity, text } from './fields.ts';

/** What an agent says beyond what the shop understands: kept as it came, to be shown to the agent again. */
export const saidBesides = z.record(z.string(), z.unknown());

/** Equal products stay lines of their own here, though the basket has one line of them. */
export const agentLine = z.object({
  lineId: guid,
  /** As the agent named it: an id or a SKU. */
  itemId: text,
  productId: guid,
  quantity,
});
export type AgentLine = z.output<typeof agentLine>;

/** What is missing was not said. */
export const agentBuyer = z.object({
  firstName: text.exactOptional(),
  lastName: text.exactOptional(),
  email: text.exactOptional(),
  phone: text.exactOptional(),
  further: saidBesides.exactOptional(),
});
export type AgentBuyer = z.output<typeof agentBuyer>;

/** What the buyer agrees to. */
export const agentConsent = z.object({
  analytics: z.boolean().exactOptional(),
  preferences: z.boolean().exactOptional(),
  marketing: z.boolean().exactOptional(),
  saleOfData: z.boolean().exactOptional(),
});
export type AgentConsent = z.output<typeof agentConsent>;

/** A place that the goods may go to. Only the country is needed to quote; what is missing was not said. */
export const agentDestination = z.object({
  id: text,
  firstName: text.exactOptional(),
  lastName: text.exactOptional(),
  addressOne: text.exactOptional(),
  addressTwo: text.exactOptional(),
  townCity: text.exactOptional(),
  region: text.exactOptional(),
  postalCode: text.exactOptional(),
  countryCode: text.exactOptional(),
  phone: text.exactOptional(),
  further: saidBesides.exactOptional(),
});
export type AgentDestination = z.output<typeof agentDestination>;

/** How the goods are to be sent, as far as the agent has chosen. */
export const agentFulfilment = z.object({
  methodId: text,
  destinationId: text.nullable(),
  /** The chosen option of each group, by the ids that the agent knows. */
  options: z.array(z.object({ groupId: text, optionId: text })),
});
export type AgentFulfilment = z.output<typeof agentFulfilment>;

/** Means of payment as they are shown again: never with what pays. */
export const agentInstrument = z.object({
  id: text,
  handlerId: text,
  type: text,
  brand: text.exactOptional(),
  lastDigits: text.exactOptional(),
  isSelected: z.boolean(),
});
export type AgentInstrument = z.output<typeof agentInstrument>;

/** By which the buyer has agreed, with the key of the agent that it holds by: profiles change. */
export const agentMandate = z.object({
  sdJwt: text,
  signedBy: z.object({ kid: text, kty: text, crv: text, x: text, y: text }),
});
export type AgentMandate = z.output<typeof agentMandate>;

/** Under which the customer of a new e-mail address is known, or will be; null: there is none. */
export const ofEmail = { customerId: guid.nullable() };

/** The addresses at which an agent wants to be told of orders and of sessions. */
const webhooks = { orderWebhookUrl: text.nullable(), sessionWebhookUrl: text.nullable() };
export type AgentWebhooks = z.output<z.ZodObject<typeof webhooks>>;

/** The customer whose key encrypts the session's personal data; null: the member has proven to be no customer. */
const ofMember = { customerId: guid.nullable() };

/** In each event that only the winner of a race may record. */
const completion = { completionId: guid };

const shapes = {
  AgentSessionStarted: {
    /** Whose lines and prices are the session's. */
    basketId: guid,
    /** The cart that it was made from. */
    cartId: guid.nullable(),
    /** Address of the agent's profile. */
    agent: text,
    /** As its profile calls it; null where that is unknown or gives no name. */
    agentName: text.nullable(),
    /** A signature proved that it was that agent. */
    isVerified: z.boolean(),
    /** The form of the answers: the version of the protocol, or the draft. */
    dialect: text,
    /** The version that answers name, where their form is called otherwise: a draft's name, or a later date. */
    version: text.optional(),
    /** The agent can choose for each warehouse by itself. */
    hasManyGroups: z.boolean(),
    /** What both sides can do, by name; empty while the profile is unknown. */
    capabilities: z.array(text),
    /** In which amounts are shown. */
    currency: text,
    ...webhooks,
    lines: z.array(agentLine),
    startedAt: instant,
    expiresAt: instant,
  },
  /** A token has shown that the buyer is this member. `customerId`: the customer they have proven to be. */
  AgentSessionMemberLinked: { memberId: guid, ...ofMember },
  AgentSessionLinesChanged: { lines: z.array(agentLine) },
  /** Null: the agent has taken it back. */
  AgentSessionBuyerNamed: { buyer: personal(agentBuyer), ...ofEmail },
  AgentSessionConsentGiven: { consent: agentConsent.nullable() },
  /** Everything that was submitted, in its order and as it was written. */
  AgentSessionCodesSubmitted: { codes: z.array(text) },
  AgentSessionDestinationsGiven: { destinations: personal(z.array(agentDestination)) },
  AgentSessionFulfilmentChosen: { fulfilment: agentFulfilment.nullable() },
  AgentSessionInstrumentsOffered: { instruments: personal(z.array(agentInstrument)) },
  AgentSessionCurrencyChosen: { currency: text },
  /** Where the buyer seems to be, and what led them here. */
  AgentSessionContextGiven: { context: personal(saidBesides), attribution: personal(saidBesides) },
  /** With every update. */
  AgentSessionExtended: { updatedAt: instant, expiresAt: instant },
  /** Until it ends nothing else happens to the session, and it does not expire. */
  AgentSessionCompletionStarted: {
    ...completion,
    instrument: personal(agentInstrument),
    /** Where the agent wants to be told from now on; missing where its profile was not read. */
    webhooks: z.object(webhooks).exactOptional(),
    /** Missing where none was asked for. */
    mandate: personal(agentMandate).exactOptional(),
    startedAt: instant,
  },
  /** The order is there; its payment has been asked for. `continueUrl`: where the buyer goes on with it. */
  AgentSessionPaymentAwaited: {
    ...completion,
    invoiceId: guid,
    from: z.enum(['provider', 'buyer']),
    continueUrl: text.nullable(),
    awaitedAt: instant,
  },
  /** Nothing was charged: the session goes on. `invoiceId`: the order that is left unpaid, where it got that far. */
  AgentSessionCompletionFailed: {
    ...completion,
    invoiceId: guid.nullable(),
    code: text,
    message: text,
    failedAt: instant,
    expiresAt: instant,
  },
  /** By this session's completion, or by the shopper to whom its basket was handed over. */
  AgentSessionCompleted: { invoiceId: guid, invoiceNumber: text, completedAt: instant },
  AgentSessionCancelled: { cancelledAt: instant },
  AgentSessionExpired: { expiredAt: instant },
  /** Appended with the end of a session whose agent has named an address for it. */
  AgentSessionNoticeDue: {
    notice: z.enum(['checkout_completed', 'checkout_canceled', 'checkout_expired']),
    dueAt: instant,
  },
  /** Its row is written. */
  AgentSessionNoticeQueued: { noticeId: guid, queuedAt: instant },
};

/**
 * Checkout sessions of agents (docs/rules/agent-sessions.md). Stream `agentSession-<sessionId>`; the data subject is
 * the basket of the session.
 */
export const agentSessionEvents = defineEvents('agent-protocol', shapes);
export type AgentSessionEvent = EventOf<typeof agentSessionEvents>;
