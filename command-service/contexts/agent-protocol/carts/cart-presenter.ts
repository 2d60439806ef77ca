import { capability } from '#agents/capabilities.ts';
import type { ProtocolCart } from '#agents/protocol-cart.ts';
import type { CapabilityName, ProtocolMessage } from '#agents/protocol-parts.ts';
import { storefrontUrl } from '#agents/storefront-url.ts';
import type { ModuleDeps } from '#command/engine/module.ts';
import { createHandOverTokens } from '#runtime/hand-over-tokens.ts';
import { eligibilityMessages } from '../sessions/session-messages.ts';
import { buyerShown, claimsOf } from '../shown/buyer-shown.ts';
import { lineMessages } from '../shown/judge-lines.ts';
import { presentationIn } from '../shown/presentment.ts';
import { shopLinks } from '../shown/shop-links.ts';
import { shownGoods } from '../shown/shown-goods.ts';
import type { SeenCart } from './agent-cart.actions.ts';
import type { AgentCart } from './agent-cart.state.ts';

export type CartPresenterDeps = Pick<ModuleDeps, 'config' | 'settings' | 'keys' | 'reference'>;

/** What an answer says beside the cart. */
export interface BesideCart {
  readonly baseUrl: string;
  /** Of the request: they are not said again. */
  readonly messages?: readonly ProtocolMessage[];
}

const statusOf = ({ cart, session }: SeenCart): ProtocolCart['status'] => {
  if (cart.status === 'active') return session === null ? 'active' : 'converted';
  return cart.status === 'cancelled' ? 'cancelled' : 'expired';
};

const capabilitiesOf = (
  { config }: CartPresenterDeps,
  { capabilities, codes }: AgentCart,
): readonly CapabilityName[] => {
  const isUsed = codes.length > 0 || capabilities.includes(capability.discount);
  const { discount } = config.protocol.ucp.extensions;
  return [capability.cart, ...(discount && isUsed ? [capability.discount] : [])];
};

/** A cart that is held by a session lasts at least as long as that. */
const expiryOf = ({ cart, session }: SeenCart): string => {
  const until = session?.expiresAt ?? cart.expiresAt;
  return Date.parse(until) > Date.parse(cart.expiresAt) ? until : cart.expiresAt;
};

/** Carts in no protocol's words (docs/rules/agent-carts.md#answers). */
export const createCartPresenter = (deps: CartPresenterDeps) => {
  const { config, settings, keys, reference } = deps;
  const tokens = createHandOverTokens(keys.applicationKey);
  return (seen: SeenCart, { baseUrl, messages: said = [] }: BesideCart): ProtocolCart => {
    const { cartId, cart, basket } = seen;
    const { lines, codes } = cart;
    const { websiteUrl } = settings();
    const storefront = storefrontUrl(websiteUrl, baseUrl);
    const presentation = presentationIn(deps, cart.currency, null);
    const goods = shownGoods(
      { lines, codes, basket: basket.basket },
      { presentation, mediaBase: `${websiteUrl ?? baseUrl}/` },
    );
    const isOpen = cart.status === 'active';
    const isLinked = isOpen && (cart.isVerified || !cart.hasVerifiedSession);
    return {
      capabilities: capabilitiesOf(deps, cart),
      id: cartId,
      status: statusOf(seen),
      currency: presentation.display.currency,
      lines: goods.lines,
      totals: goods.totals,
      buyer: buyerShown(cart),
      context: cart.context,
      discounts: config.protocol.ucp.extensions.discount ? goods.discounts : null,
      messages: [
        ...said,
        ...(isOpen ? lineMessages(reference, lines, basket) : []),
        ...seen.messages,
        ...eligibilityMessages(claimsOf(cart)),
      ],
      links: shopLinks(storefront),
      continueUrl: isLinked ? `${storefront}/continue/${tokens.tokenOf({ kind: 'cart', id: cartId })}` : null,
      expiresAt: expiryOf(seen),
    };
  };
};

export type CartPresenter = ReturnType<typeof createCartPresenter>;
