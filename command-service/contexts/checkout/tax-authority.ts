import type { CommandMeta, Executed } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { gatherPrices } from '#command/pricing/basket-prices.ts';
import { discountIdsOf, priceable } from '#command/pricing/priceable.ts';
import { priceBasket } from '#command/pricing/price-basket.ts';
import { estimated, type ProviderTax, type TaxBasis } from '#command/pricing/provider-tax.ts';
import type { BasketView } from '#events/basket-view.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { TaxRequest } from '#ports/tax-provider.ts';
import type { TaxesApi } from '../tax/tax.commands.ts';
import {
  usedDiscountIdsOf,
  holdsOf,
  type BasketState,
  type BasketStreamEvent,
} from '../basket/basket.state.ts';
import { checkoutStream } from './checkout.stream.ts';

type Deps = Pick<CommandDeps, 'streams' | 'reference' | 'settings' | 'clock' | 'asksForTax'> & {
  readonly apis: { readonly taxes: TaxesApi };
};

/** A basket after a change of checkout. */
interface Changed extends Pick<Executed<BasketState, BasketStreamEvent>, 'events' | 'position'> {
  readonly basketId: string;
  readonly basket: BasketView;
}

const requestOf = (
  basketId: string,
  basket: BasketView,
  { lines, shipping }: TaxBasis,
  isFinal: boolean,
): TaxRequest => {
  const { addressOne = '', townCity = '', postalCode = '' } = basket.shippingAddress ?? {};
  const { countryCode, regionCode } = basket.destination;
  const goods = new Map(
    basket.lines.flatMap((line) =>
      [line, ...(line.addons ?? [])].map((one) => [one.lineId, { sku: line.sku, quantity: line.quantity }]),
    ),
  );
  return {
    reference: basketId,
    isFinal,
    currency: basket.currency,
    address: { addressOne, townCity, regionCode, postalCode, countryCode },
    lines: lines.map(({ lineId, amount, isTaxable }) => ({
      lineItemId: lineId,
      sku: goods.get(lineId)?.sku ?? '',
      quantity: goods.get(lineId)?.quantity ?? 1,
      amount,
      isTaxable,
    })),
    shipping,
  };
};

/** What the provider says of a basket as it is. Errors: Rejection `tax-unavailable`, of a final question only. */
const ask = async (
  deps: Deps,
  basketId: string,
  state: BasketState,
  isFinal: boolean,
): Promise<ProviderTax | undefined> => {
  const { basket } = state;
  if (!deps.asksForTax?.() || basket === null || basket.lines.length === 0) return undefined;
  if (basket.shippingAddress === null) return estimated('ShippingAddressMissing');
  const { lines, choices, destination } = basket;
  const prices = gatherPrices(deps, {
    goods: lines,
    discountIds: discountIdsOf(basket),
    destination,
    usedDiscountIds: usedDiscountIdsOf(state),
    holds: holdsOf(state),
  });
  const { taxBasis: basis } = priceBasket(priceable(basket, choices), prices);
  if (basis === undefined) return undefined;
  const answer = await deps.apis.taxes.ask(requestOf(basketId, basket, basis, isFinal));
  if (answer !== null) {
    // What is said for an order is what is charged.
    return {
      kind: 'answered',
      basis,
      destination,
      answer: isFinal ? { ...answer, isEstimated: false } : answer,
    };
  }
  if (!isFinal) return estimated('ProviderUnavailable');
  throw new Rejection(
    'tax-unavailable',
    'The tax on this order cannot be calculated at the moment. Nothing was charged. Please try again shortly.',
  );
};

const unlessRefused = (error: unknown): ProviderTax => {
  if (error instanceof Rejection) return estimated('ProviderUnavailable');
  throw error;
};

/**
 * Asks the provider of tax where one is to say it: estimates in checkout, with authority before an order is placed
 * (docs/rules/tax.md#providers).
 */
export const createTaxAuthority = (deps: Deps) => {
  const load = async (basketId: string): Promise<BasketState> =>
    (await deps.streams.load(checkoutStream, basketId)).state;
  const apply = async (basketId: string, tax: ProviderTax, meta: CommandMeta) => {
    try {
      return await deps.streams.send(checkoutStream, basketId, { type: 'ApplyTax', tax }, stepMeta(meta));
    } catch (error) {
      // The basket has changed meanwhile: the change asks again.
      if (error instanceof Rejection) return null;
      throw error;
    }
  };
  return {
    /** The basket after a change of checkout, with the tax that the provider says. */
    estimate: async <Result extends Changed>(changed: Result, meta: CommandMeta): Promise<Result> => {
      if (!deps.asksForTax?.()) return changed;
      const { basketId } = changed;
      const tax = await ask(deps, basketId, await load(basketId), false);
      const applied = tax && (await apply(basketId, tax, meta));
      if (!applied) return changed;
      return {
        ...changed,
        basket: applied.state.basket ?? changed.basket,
        events: [...changed.events, ...applied.events],
        position: Math.max(changed.position, applied.position),
      };
    },
    /** Updates the tax of a basket that was priced again. */
    refresh: async (basketId: string, meta: CommandMeta): Promise<void> => {
      const tax = await ask(deps, basketId, await load(basketId), false);
      if (tax) await apply(basketId, tax, meta);
    },
    /** For an order of what the basket holds now; undefined where no provider is asked. */
    decide: async (basketId: string): Promise<ProviderTax | undefined> => {
      if (!deps.asksForTax?.()) return undefined;
      const state = await load(basketId);
      if (state.status === 'open') return ask(deps, basketId, state, true);
      // The existing invoice may do: then no lookup is needed.
      const mayBeKept = state.status === 'awaitingPayment';
      return mayBeKept ? ask(deps, basketId, state, true).catch(unlessRefused) : undefined;
    },
  };
};

export type TaxAuthority = ReturnType<typeof createTaxAuthority>;
