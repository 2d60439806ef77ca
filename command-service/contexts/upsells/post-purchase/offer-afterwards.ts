import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { ModuleDeps } from '#command/engine/module.ts';
import type { Actor } from '#kernel/event.ts';
import type { Place } from '#reference/location.ts';
import { isKnown, isPaidInFull, type KnownInvoice } from '../../invoices/invoice.state.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';
import type { OfferedAfterwards } from '../../invoices/post-purchase/post-purchase.commands.ts';
import type { PostPurchaseApi } from './post-purchase.commands.ts';
import { suggest, type Suggestion, type SuggestionLine } from '#reference/suggest.ts';

type OfferDeps = Pick<ModuleDeps, 'streams' | 'reference' | 'settings' | 'clock' | 'apis' | 'log'>;

/** The payer: the caller, or for a provider's report the customer who was signed in at the order. */
const payerOf = ({ content }: KnownInvoice, { kind, id }: Actor): string | null => {
  if (kind === 'member') return id;
  return kind === 'visitor' ? null : (content.memberId ?? null);
};

const linesOf = ({ content }: KnownInvoice): readonly SuggestionLine[] =>
  content.orders.flatMap(({ lines }) =>
    lines.flatMap(({ productId, productRootId, quantity, lineTotalInStoreCurrency: total }) =>
      productId === null || productRootId === null
        ? []
        : [{ productId, productRootId, quantity, unitPrice: Math.round(total / quantity) }],
    ),
  );

export const placeOf = ({ shippingAddress, billingAddress }: KnownInvoice): Place => {
  const address = shippingAddress ?? billingAddress;
  return { countryCode: address?.countryCode ?? '', regionCode: address?.regionCode ?? null };
};

/** Random suggestions keep their order for an invoice. */
const seedOf = (invoiceId: string): number => Number.parseInt(invoiceId.slice(0, 8), 16);

const suggestedFor = async (
  { reference, settings, clock, apis }: OfferDeps,
  invoiceId: string,
  invoice: KnownInvoice,
): Promise<readonly Suggestion[]> => {
  const { customerId } = invoice.content;
  const isAsked = customerId !== null && reference.upsells.asksWhoBuys();
  const segmentIds = isAsked ? await apis.customers.segmentsOf(customerId) : [];
  return suggest(reference, {
    location: 'Confirmation',
    mode: 'PostPurchase',
    now: clock.now(),
    lines: linesOf(invoice),
    buyer: { customerId, segmentIds },
    place: placeOf(invoice),
    limit: settings().maxSuggestionsPerLocation,
    seed: seedOf(invoiceId),
  });
};

/** The method that paid or was saved with the payment, else the customer's default, if it can still be charged. */
const methodFor = async (
  { apis }: OfferDeps,
  { content, payments }: KnownInvoice,
  chargedMethodId: string | null,
) => {
  const chosen = chargedMethodId ?? payments.at(-1)?.keptMethodId ?? null;
  const { customerId } = content;
  const known = customerId === null ? [] : await apis.savedMethods.of(customerId);
  const methods = known.filter(({ isExpired }) => !isExpired);
  return methods.find(({ id }) => id === chosen) ?? methods.find(({ isDefault }) => isDefault);
};

const isDigitalOnly = ({ content }: KnownInvoice): boolean =>
  content.orders.every(({ lines }) => lines.every(({ isDigital }) => isDigital));

const find = async (
  deps: OfferDeps,
  invoiceId: string,
  chargedMethodId: string | null,
  actor: Actor,
): Promise<OfferedAfterwards | null> => {
  const { apis, settings, streams } = deps;
  const { state } = await streams.recall(invoiceStream, invoiceId);
  if (!isKnown(state) || !isPaidInFull(state) || isDigitalOnly(state)) return null;
  const vaults = apis.payments.vaultProviders().map(({ alias }) => alias);
  const payerId = payerOf(state, actor);
  if (payerId === null || !vaults.includes(state.payments.at(-1)?.provider ?? '')) return null;
  if ((await apis.members.customerOf(payerId)) !== state.content.customerId) return null;
  const suggestions = await suggestedFor(deps, invoiceId, state);
  if (suggestions.length === 0) return null;
  const method = await methodFor(deps, state, chargedMethodId);
  if (!method) return null;
  return {
    provider: method.providerAlias,
    methodId: method.id,
    offers: suggestions.map(({ upsell, products }) => ({
      upsellRuleId: upsell.id,
      productIds: products.map(({ variant }) => variant.id),
    })),
    minutes: settings().postPurchaseFulfillmentHoldMinutes,
  };
};

/** Offers after a purchase (docs/rules/post-purchase.md#window). */
export const createOffers = (deps: OfferDeps): PostPurchaseApi => ({
  mayOffer: () => deps.settings().enablePostPurchase && deps.reference.upsells.offersAfterwards(),
  offerFor: async (invoiceId, chargedMethodId, { actor }: CommandMeta) => {
    try {
      return await find(deps, invoiceId, chargedMethodId, actor);
    } catch (err) {
      deps.log.warn({ invoiceId, err }, 'nothing is offered after a purchase');
      return null;
    }
  },
});
