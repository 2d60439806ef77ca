import type { DialectContext, Forms, Json } from '../dialects.ts';
import type { ProtocolCart } from '../protocol-cart.ts';
import { currentWording, olderWording, present, writeDiscounts, writeLine, type Wording } from './parts.ts';

const inWords =
  (wording: Wording) =>
  (cart: ProtocolCart, context: DialectContext): Json =>
    present({
      ucp: wording.envelope(cart.capabilities, context),
      id: cart.id,
      cart_status: cart.status,
      currency: cart.currency,
      line_items: cart.lines.map((line) => writeLine(line, wording)),
      totals: wording.totals(cart.totals),
      buyer: cart.buyer && wording.buyer(cart.buyer),
      context: cart.context,
      discounts: cart.discounts && writeDiscounts(cart.discounts),
      messages: cart.messages.map(wording.message),
      links: cart.links,
      continue_url: cart.continueUrl,
      expires_at: cart.expiresAt,
    });

/** Carts (docs/rules/agent-dialects.md#carts). The older version knows none; it gets them in its own words. */
export const cartForms: Forms<ProtocolCart> = {
  '2026-04-08': inWords(currentWording),
  '2026-01-11': inWords(olderWording),
  draft: inWords(currentWording),
};
