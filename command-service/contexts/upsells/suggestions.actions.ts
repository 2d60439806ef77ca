import { randomInt } from 'node:crypto';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { ContextApis } from '#command/context-apis.ts';
import type { BasketView } from '#events/basket-view.ts';
import { Rejection } from '#kernel/rejection.ts';
import { requestedLocation, locationOf, type ChosenPlace, type Location } from '#reference/location.ts';
import type { BuyerTraits } from '#reference/reference.ts';
import type { DisplayLocation } from '#values/upsells.ts';
import { reachableBasket } from '../basket/basket.state.ts';
import { basketLinesStream } from '../basket/basket.stream.ts';
import { suggest, type Suggestion } from '#reference/suggest.ts';
import type { ShownTo } from './upsell-performance/upsell-events.commands.ts';

/** Who asks, and from where. */
export interface Asking {
  readonly basketId: string | null;
  readonly actor: CommandMeta['actor'];
  /** Named in the request. */
  readonly asked: ChosenPlace;
  /** Chosen earlier by the shopper. */
  readonly chosen: ChosenPlace;
}

/** Suggestions, and the location they are for. */
export interface Suggested {
  readonly suggestions: readonly Suggestion[];
  readonly location: Location;
  readonly customerId: string | null;
}

const nobody: BuyerTraits = { customerId: null, segmentIds: [] };
/** Seeds are below this. */
const SEEDS = 2 ** 32;

/** Guests are unknown. Looks up no customer unless a rule asks. */
const buyerOf = async (
  { reference, apis }: Pick<CommandDeps, 'reference' | 'apis'>,
  { actor }: Asking,
): Promise<BuyerTraits> => {
  if (actor.kind !== 'member' || actor.id === null || !reference.upsells.asksWhoBuys()) return nobody;
  const customerId = await apis.members.customerOf(actor.id);
  if (customerId === null) return nobody;
  return { customerId, segmentIds: await apis.customers.segmentsOf(customerId) };
};

const remember = (
  { upsells }: Pick<ContextApis, 'upsells'>,
  suggestions: readonly Suggestion[],
  to: ShownTo,
): void =>
  upsells.recordImpressions(
    to,
    suggestions.map(({ upsell, products }) => ({
      upsellRuleId: upsell.id,
      products: products.map(({ variant, rootId }) => ({ productId: variant.id, productRootId: rootId })),
    })),
  );

/** Suggestions for a basket or product (docs/rules/upsells.md#steps). Appends nothing. */
export const createSuggestionActions = ({
  reference,
  settings,
  streams,
  clock,
  apis,
}: Pick<CommandDeps, 'reference' | 'settings' | 'streams' | 'clock' | 'apis'>) => {
  const basketOf = async ({ basketId }: Asking): Promise<BasketView | null> =>
    basketId === null ? null : reachableBasket((await streams.load(basketLinesStream, basketId)).state);

  /** From the request, else the basket's address, else the shopper's assumed location. */
  const locationFor = ({ asked, chosen }: Asking, basket: BasketView | null): Location => {
    const { shippingAddress: address = null } = basket ?? {};
    if (address !== null && !asked.countryCode)
      return locationOf(address.countryCode, asked.regionCode ?? address.regionCode);
    return requestedLocation(asked, chosen, settings(), reference.shipping);
  };

  const common = (buyer: BuyerTraits, place: Location) => ({
    now: clock.now(),
    buyer,
    place,
    limit: settings().maxSuggestionsPerLocation,
    seed: randomInt(SEEDS),
  });

  return {
    /** For a basket; an empty one has none. */
    forBasket: async (asking: Asking, location: DisplayLocation): Promise<Suggested> => {
      const basket = await basketOf(asking);
      const place = locationFor(asking, basket);
      const { lines = [] } = basket ?? {};
      const isIdle = lines.length === 0 || !reference.upsells.any();
      const buyer = isIdle ? nobody : await buyerOf({ reference, apis }, asking);
      const suggestions = isIdle ? [] : suggest(reference, { ...common(buyer, place), location, lines });
      remember(apis, suggestions, { ...buyer, location, basketId: asking.basketId });
      return { suggestions, location: place, customerId: buyer.customerId };
    },

    /** For a shopper who views a product: as if one unit of it were in a basket. */
    forProduct: async (asking: Asking, productId: string): Promise<Suggested> => {
      const { catalogue } = reference;
      const product = catalogue.product(catalogue.variant(productId)?.rootId ?? productId);
      const { id: rootId, variants = [] } = product ?? {};
      const variant =
        variants.find(({ id }) => id === productId) ?? variants.find((one) => one.isDefault) ?? variants[0];
      if (rootId === undefined || variant === undefined)
        throw new Rejection('entity-not-found', 'There is no such product.');
      const basket = await basketOf(asking);
      const place = locationFor(asking, basket);
      const buyer = await buyerOf({ reference, apis }, asking);
      const line = { productId: variant.id, productRootId: rootId, quantity: 1, unitPrice: variant.price };
      const suggestions = suggest(reference, {
        ...common(buyer, place),
        location: 'ProductPage',
        lines: [line],
        exceptRootId: rootId,
      });
      const basketId = basket && asking.basketId;
      remember(apis, suggestions, { ...buyer, location: 'ProductPage', basketId });
      return { suggestions, location: place, customerId: buyer.customerId };
    },
  };
};
export type SuggestionActions = ReturnType<typeof createSuggestionActions>;
