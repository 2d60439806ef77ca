import type { ProtocolMessage } from '#agents/protocol-parts.ts';
import type { ProtocolSession } from '#agents/protocol-session.ts';
import { absoluteUrl, storefrontUrl } from '#agents/storefront-url.ts';
import type { ModuleDeps } from '#command/engine/module.ts';
import { displayAmount } from '#values/exchange.ts';
import { createHandOverTokens } from '#runtime/hand-over-tokens.ts';
import { createOrderLinks } from '#runtime/order-links.ts';
import { sessionCapabilities } from '../shown/answer-capabilities.ts';
import { buyerShown, claimsOf } from '../shown/buyer-shown.ts';
import { lineMessages } from '../shown/judge-lines.ts';
import { presentationIn } from '../shown/presentment.ts';
import { shopLinks } from '../shown/shop-links.ts';
import { shownGoods } from '../shown/shown-goods.ts';
import type { SeenSession } from './seen-session.ts';
import { completionOf, type ActiveSession, type AgentSession } from './agent-session.state.ts';
import { savedWays, shownInstruments } from './saved-instruments.ts';
import { createSessionHandlers, type SessionHandlerDeps } from './session-handlers.ts';
import {
  addressMessages,
  buyerMessages,
  eligibilityMessages,
  paymentMessages,
  withoutRepeats,
} from './session-messages.ts';
import { addressOf, selectedDestination } from './session-place.ts';
import { statusOf } from './session-status.ts';
import { fulfilmentOfShopper, shownFulfilment, type ShownFulfilment } from './shown-fulfilment.ts';

export type PresenterDeps = SessionHandlerDeps & Pick<ModuleDeps, 'reference' | 'keys'>;

/** What an answer says beside the session. */
export interface BesideSession {
  readonly baseUrl: string;
  /** Of the request: they are not said again. */
  readonly messages?: readonly ProtocolMessage[];
}

export interface PresentedSession {
  readonly session: ProtocolSession;
  /** Goods that are sent have no place or no option yet. */
  readonly isFulfilmentMissing: boolean;
}

/** What keeps the goods from being sold, where no line says it. */
const goodsMessages = (
  { reference }: PresenterDeps,
  { session, basket: { state, problem } }: SeenSession,
): readonly ProtocolMessage[] => {
  const messages = lineMessages(reference, session.lines, state);
  if (problem === null || messages.length > 0) return messages;
  const code = problem.code === 'out-of-stock' ? 'out_of_stock' : 'item_unavailable';
  return [{ type: 'error', code, content: problem.message, path: '$.line_items', severity: 'recoverable' }];
};

const isShort = ({ code }: ProtocolMessage): boolean => code === 'out_of_stock';

/** What a shop that sends to whole addresses only asks of the selected place. */
const placeMessages = (
  { config, apis }: PresenterDeps,
  session: ActiveSession,
): readonly ProtocolMessage[] => {
  const place = selectedDestination(session);
  if (!config.protocol.ucp.strictAddressValidation || place === null) return [];
  const address = addressOf(place, session.buyer);
  return addressMessages(session, address, apis.checkout.addressProblems(address));
};

const messagesOf = (
  deps: PresenterDeps,
  seen: SeenSession,
  { fulfilment, messages: ofShipping }: ShownFulfilment,
): readonly ProtocolMessage[] => {
  const { session, messages } = seen;
  if (session.status !== 'active') return [];
  const { basket, handOver } = seen.basket.state;
  const needs = {
    hasDigital: basket?.lines.some(({ isDigital }) => isDigital) ?? false,
    hasShoppersEmail: handOver !== null && (basket?.email ?? null) !== null,
    requiresEmail: deps.config.protocol.ucp.requireBuyerEmail,
  };
  const ofGoods = goodsMessages(deps, seen);
  return [
    ...ofGoods,
    ...messages,
    // What is short of a line is short for its shipping, too.
    ...(ofGoods.some(isShort) ? ofShipping.filter((message) => !isShort(message)) : ofShipping),
    ...(fulfilment === null ? [] : placeMessages(deps, session)),
    ...buyerMessages(session, needs),
    ...paymentMessages(session),
    ...eligibilityMessages(claimsOf(session)),
  ];
};

/** Goods and how they are sent, in the currency of the session or, once it is completed, of its order. */
const contentOf = (deps: PresenterDeps, { session, basket }: SeenSession, mediaBase: string) => {
  const { extensions } = deps.config.protocol.ucp;
  const { lines, codes } = session;
  const { state, ordered } = basket;
  const ofOrder = session.status === 'completed' ? (ordered ?? state.order)?.display : null;
  const presentation = presentationIn(deps, session.currency, ofOrder ?? null);
  const shown = ordered?.basket ?? state.basket;
  const goods = shownGoods({ lines, codes, basket: shown }, { presentation, mediaBase });
  const { storeCurrency, display } = presentation;
  const { currency } = display;
  const shipping = extensions.fulfillment
    ? shownFulfilment(session, basket.shipping, goods.figures, {
        currency,
        amount: (inStore) => displayAmount(inStore, storeCurrency, display),
        charged: goods.totals.find(({ type }) => type === 'fulfillment')?.amount,
      })
    : fulfilmentOfShopper(basket.shipping, goods.figures);
  return { goods, shipping, currency };
};

/** Checkout sessions in no protocol's words (docs/rules/agent-sessions.md#answers). */
export const createSessionPresenter = (deps: PresenterDeps) => {
  const { config, settings, keys } = deps;
  const { ucp } = config.protocol;
  const tokens = createHandOverTokens(keys.applicationKey);
  const handlersFor = createSessionHandlers(deps);
  const orderLinks = createOrderLinks(keys.applicationKey);

  const continueUrlOf = ({ session, sessionId }: SeenSession, storefront: string, base: string) => {
    if (session.status !== 'active') return null;
    const ofProvider = completionOf(session)?.awaited?.continueUrl ?? null;
    const url = ofProvider === null ? null : absoluteUrl(ofProvider, `${base}/`);
    return url ?? `${storefront}/continue/${tokens.tokenOf({ kind: 'session', id: sessionId })}`;
  };
  const orderOf = (session: AgentSession, storefront: string): ProtocolSession['order'] => {
    if (session.status !== 'completed') return null;
    const { invoiceId: id, invoiceNumber: label } = session.order;
    return { id, label, permalinkUrl: orderLinks.linkTo(id, storefront) };
  };

  return (seen: SeenSession, { baseUrl, messages: said = [] }: BesideSession): PresentedSession => {
    const { sessionId, session } = seen;
    const { websiteUrl } = settings();
    const storefront = storefrontUrl(websiteUrl, baseUrl);
    const { goods, shipping, currency } = contentOf(deps, seen, `${websiteUrl ?? baseUrl}/`);
    const messages = withoutRepeats(said, messagesOf(deps, seen, shipping));
    const { handlers, methods } = handlersFor(seen.payments);
    const instruments = shownInstruments(session.instruments, savedWays(seen.payments, methods));
    return {
      isFulfilmentMissing: !shipping.isComplete,
      session: {
        capabilities: sessionCapabilities(ucp, session),
        id: sessionId,
        lifecycle: session.status,
        status: statusOf(session, messages, shipping.isComplete && goods.lines.length > 0),
        currency,
        lines: goods.lines,
        buyer: buyerShown(session),
        totals: goods.totals,
        messages,
        links: shopLinks(storefront),
        createdAt: session.startedAt,
        updatedAt: session.updatedAt,
        expiresAt: session.expiresAt,
        continueUrl: continueUrlOf(seen, storefront, baseUrl),
        payment: { handlers, instruments },
        discounts: ucp.extensions.discount ? goods.discounts : null,
        fulfilment: shipping.fulfilment,
        order: orderOf(session, storefront),
      },
    };
  };
};

export type SessionPresenter = ReturnType<typeof createSessionPresenter>;
