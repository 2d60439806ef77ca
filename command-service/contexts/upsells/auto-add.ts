import type { CommandDeps } from '#command/engine/service-deps.ts';
import { suggest } from '#reference/suggest.ts';
import type { AddedByRule, UpsellsApi } from './upsell.commands.ts';

/** The most rules that add to a basket automatically, and the most products they add. */
const MOST_RULES = 10;
const MOST_PRODUCTS = 20;

/** What rules add to a basket automatically (docs/rules/upsells.md#adding-by-itself). */
export const autoAdd =
  ({ reference, clock }: Pick<CommandDeps, 'reference' | 'clock'>): UpsellsApi['addedTo'] =>
  (basket) => {
    if (!reference.upsells.addsByItself()) return [];
    const { lines, customerId, segmentIds, destination, removedUpsells = [] } = basket;
    const suggestions = suggest(reference, {
      location: 'AutoAdd',
      now: clock.now(),
      lines,
      buyer: { customerId, segmentIds },
      place: destination,
      limit: MOST_RULES,
      seed: 0,
    });
    const known = new Set([...lines.map(({ productRootId }) => productRootId), ...removedUpsells]);
    const added: AddedByRule[] = [];
    for (const { upsell, products } of suggestions)
      for (const { rootId, variant } of products) {
        if (known.has(rootId) || added.length === MOST_PRODUCTS) continue;
        known.add(rootId);
        added.push({ upsellRuleId: upsell.id, productId: variant.id });
      }
    return added;
  };
