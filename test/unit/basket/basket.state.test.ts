import { expect } from 'chai';
import { heldUnits, holdsOf, reachableBasket } from '#command/contexts/basket/basket.state.ts';
import { basketEvents } from '#events/basket.events.ts';
import { checkoutEvents } from '#events/checkout.events.ts';
import { add, basketIn, idNamed, london, offer, setQuantity } from '#test/support/builders/basket.ts';
import { placementEnded, placementFailed, placementStarted } from '#test/support/builders/placement.ts';
import { given } from '#test/support/given.ts';

const holds = [
  { productId: idNamed('mug'), warehouseId: idNamed('east'), quantity: 2 },
  { productId: idNamed('mug'), warehouseId: idNamed('west'), quantity: 1 },
  { productId: idNamed('pen'), warehouseId: idNamed('west'), quantity: 0 },
];

const ordered = given(basketIn({ offers: { mug: offer(1000), pen: offer(100) } }))
  .after(add('mug', 3))
  .happened(...placementStarted({ holds, claims: [idNamed('TEN')] }), ...placementEnded());

const { BasketCleared, BasketCompleted, BasketStarted } = basketEvents.create;
const bought = BasketCompleted({ invoiceId: idNamed('invoice') });
const expired = (invoice: string) =>
  checkoutEvents.create.OrderExpired({
    placementId: idNamed('placement'),
    invoiceId: idNamed(invoice),
  });

describe('a basket of which an order was made', () => {
  it('waits for its payment, and knows what it holds', () => {
    const state = ordered.state();
    expect(state.status).to.equal('awaitingPayment');
    expect(state.order).to.deep.include({
      invoiceId: idNamed('invoice'),
      claimedDiscountIds: [idNamed('TEN')],
    });
    expect(heldUnits(state, idNamed('mug'))).to.equal(3);
  });

  it('is open again as soon as anything changes, and keeps what it held', () => {
    const state = ordered.after(setQuantity('mug', 1)).state();
    expect(state.status).to.equal('open');
    expect(holdsOf(state)).to.deep.equal(holdsOf(ordered.state()));
  });

  it('holds nothing after the next order fails', () => {
    const state = ordered.happened(...placementStarted({ holds }), ...placementFailed()).state();
    expect(state).to.deep.include({ status: 'open', order: null });
    expect(state.failed?.code).to.equal('out-of-stock');
  });

  it('still holds everything when the older invoice could not be closed', () => {
    const state = ordered.happened(...placementStarted(), ...placementFailed(true)).state();
    expect(heldUnits(state, idNamed('mug'))).to.equal(3);
    expect(state.status).to.equal('open');
  });

  it('holds what it held when it is cleared, until the order expires', () => {
    const cleared = ordered.happened(BasketCleared({ currency: 'GBP', customerId: null }));
    expect(cleared.state()).to.deep.include({ status: 'none', basket: null });
    expect(heldUnits(cleared.state(), idNamed('mug'))).to.equal(3);
    expect(cleared.happened(expired('invoice')).state()).to.deep.include({
      order: null,
      expiredInvoiceId: idNamed('invoice'),
    });
  });

  it('is not cleared for another basket while it has an order, or one is being made of it', () => {
    const clear = { type: 'ClearBasket', unlessOrdered: true } as const;
    ordered.when(clear).thenNothing();
    ordered
      .happened(...placementStarted())
      .when(clear)
      .thenNothing();
    ordered.happened(expired('invoice')).when(clear).thenLike(['BasketCleared', {}]);
  });

  it('loses its order when that one expires, not when another does', () => {
    expect(ordered.happened(expired('older')).state()).to.deep.include({ status: 'awaitingPayment' });
    expect(ordered.happened(expired('invoice')).state()).to.deep.include({ status: 'open', order: null });
  });

  it('cannot be reached once it is paid', () => {
    expect(reachableBasket(ordered.state())).to.not.equal(null);
    expect(reachableBasket(ordered.happened(bought).state())).to.equal(null);
  });

  it('stays bought if its older order is paid while another is being placed', () => {
    const state = ordered.happened(...placementStarted(), bought).state();
    expect(state.status).to.equal('completedInPlacement');
    const failed = ordered.happened(...placementStarted(), bought, ...placementFailed(true)).state();
    expect(failed).to.deep.include({ status: 'completed', order: state.order });
    expect(failed.failed?.code).to.equal('out-of-stock');
    const placed = ordered.happened(...placementStarted(), bought, ...placementEnded()).state();
    expect(placed).to.deep.include({ status: 'completed', failed: null });
  });

  it('starts again empty', () => {
    const begun = BasketStarted({ currency: 'GBP', destination: london });
    const state = ordered.happened(bought, begun).state();
    expect(state).to.deep.include({ status: 'open', turns: 1 });
    expect(state.basket?.lines).to.deep.equal([]);
    expect(heldUnits(state, idNamed('mug'))).to.equal(3);
  });
});
