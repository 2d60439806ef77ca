import { expect } from 'chai';
import type { CheckoutCommand } from '#command/contexts/checkout/checkout.commands.ts';
import { newId } from '#kernel/ids.ts';
import { add } from '#test/support/builders/basket.ts';
import { addresses, checkoutIn, choice, pay, type CheckoutBasket } from '#test/support/builders/checkout.ts';
import { warehousesWith } from '#test/support/builders/warehouses.ts';
import { given } from '#test/support/given.ts';

const shop = warehousesWith(
  { east: { options: { parcel: { fixedCost: 500 } } } },
  { mug: { price: 1000, stock: { east: 5 } } },
);
const filled: CheckoutBasket = given(checkoutIn(shop)).after(add('mug', 2));
const throughAgent = { ...addresses, isThroughAgent: true } as const;
const handOver = (sessionId: string | null): CheckoutCommand => ({
  type: 'HandOver',
  sessionId,
  agent: 'https://agent.example/profile',
  agentName: 'Shopping assistant',
});
const sessionId = newId();

/** Where the sale of a basket comes from. */
const sourceOf = (basket: CheckoutBasket): object | undefined => {
  const started = basket.when(pay()).events().at(-1);
  return started?.type === 'OrderPlacementStarted' ? started.data.content.source : undefined;
};

// docs/rules/agent-hand-over.md
describe('A basket that an agent hands over', () => {
  it('says so once for each session, however often the shopper comes by the link', () => {
    filled.when(handOver(sessionId)).thenLike(['BasketHandedOver', { sessionId }]);
    const taken = filled.after(handOver(null));
    taken.when(handOver(null)).thenNothing();
    taken.when(handOver(sessionId)).thenLike(['BasketHandedOver', { sessionId }]);
  });

  it('is from then on a checkout that can be left behind, with the address that the agent gave', () => {
    const told = filled.after(throughAgent);
    told
      .when(handOver(sessionId))
      .thenLike(
        ['BasketHandedOver'],
        ['CheckoutAddressesChanged', { email: addresses.email, 'opens.lineCount': 1, 'opens.total': 2000 }],
      );
    told.after(handOver(sessionId)).when(handOver(sessionId)).thenNothing();
    filled
      .after(handOver(sessionId))
      .when(addresses)
      .thenLike(['CheckoutAddressesChanged', { 'opens.lineCount': 1 }]);
  });

  it('keeps its shipping', () => {
    const told = filled.after(throughAgent);
    const chosen = told.after(choice(shop, told));
    expect(sourceOf(chosen.after(handOver(sessionId)))).to.include({ type: 'ucp' });
  });

  it('is a sale of the agent’s checkout, whoever pays, and of the web where there was only a cart', () => {
    const told = filled.after(throughAgent);
    const chosen = told.after(choice(shop, told));
    expect(sourceOf(chosen.after(handOver(sessionId)))).to.deep.equal({
      type: 'ucp',
      displayName: 'Shopping assistant',
      sourceName: 'UCP',
      sourceId: 'https://agent.example/profile',
      sessionId,
    });
    expect(sourceOf(chosen.after(handOver(null)))).to.include({ type: 'web', sourceName: null });
  });
});
