import { expect } from 'chai';
import { heldUnits, isReachable } from '#command/contexts/basket/basket.state.ts';
import { basketEvents } from '#events/basket.events.ts';
import { add, basketIn, idNamed, offer, setQuantity } from '#test/support/builders/basket.ts';
import { placementEnded, placementFailed, placementStarted } from '#test/support/builders/placement.ts';

const holds = [
  { productId: idNamed('mug'), warehouseId: idNamed('east'), quantity: 2 },
  { productId: idNamed('mug'), warehouseId: idNamed('west'), quantity: 1 },
  { productId: idNamed('pen'), warehouseId: idNamed('west'), quantity: 0 },
];

const ordered = () => {
  const basket = basketIn({ offers: { mug: offer(1000), pen: offer(100) } });
  basket.decide(add('mug', 3));
  basket.record(placementStarted({ holds, claims: [idNamed('TEN')] }));
  basket.record(placementEnded());
  return basket;
};

describe('a basket of which an order was made', () => {
  it('knows its unpaid invoice and what it holds', () => {
    const state = ordered().state();
    expect(state.unpaidInvoice).to.deep.include({ invoiceId: idNamed('invoice'), isCurrent: true });
    expect(heldUnits(state, idNamed('mug'))).to.equal(3);
    expect(state.claimedDiscountIds).to.deep.equal([idNamed('TEN')]);
    expect(state.basket?.status).to.equal('open');
  });

  it('makes that invoice an old one as soon as anything changes', () => {
    const basket = ordered();
    basket.decide(setQuantity('mug', 1));
    expect(basket.state().unpaidInvoice?.isCurrent).to.equal(false);
  });

  it('holds nothing any more when the next order fails', () => {
    const basket = ordered();
    basket.record(placementStarted({ holds }));
    basket.record(placementFailed());
    expect(basket.state()).to.deep.include({ holds: [], claimedDiscountIds: [], unpaidInvoice: null });
    expect(basket.state().failedPlacement?.code).to.equal('out-of-stock');
  });

  it('still holds everything when the older invoice could not be closed', () => {
    const basket = ordered();
    basket.record(placementStarted());
    basket.record(placementFailed(true));
    expect(heldUnits(basket.state(), idNamed('mug'))).to.equal(3);
    expect(basket.state().unpaidInvoice).to.deep.include({ isCurrent: false });
  });

  it('is out of reach once it has been paid', () => {
    const basket = ordered();
    expect(isReachable(basket.state())).to.equal(true);
    basket.record([basketEvents.create.BasketCompleted({ invoiceId: idNamed('invoice') })]);
    expect(isReachable(basket.state())).to.equal(false);
  });
});
