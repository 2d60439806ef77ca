import { expect } from 'chai';
import { heldUnits, isReachable } from '#command/contexts/basket/basket.state.ts';
import { basketEvents } from '#events/basket.events.ts';
import { add, basketIn, idNamed, offer, setQuantity } from '#test/support/builders/basket.ts';
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

describe('a basket of which an order was made', () => {
  it('knows its unpaid invoice and what it holds', () => {
    const state = ordered.state();
    expect(state.unpaidInvoice).to.deep.include({ invoiceId: idNamed('invoice'), isCurrent: true });
    expect(heldUnits(state, idNamed('mug'))).to.equal(3);
    expect(state.claimedDiscountIds).to.deep.equal([idNamed('TEN')]);
    expect(state.basket?.status).to.equal('open');
  });

  it('makes that invoice an old one as soon as anything changes', () => {
    expect(ordered.after(setQuantity('mug', 1)).state().unpaidInvoice?.isCurrent).to.equal(false);
  });

  it('holds nothing any more when the next order fails', () => {
    const state = ordered.happened(...placementStarted({ holds }), ...placementFailed()).state();
    expect(state).to.deep.include({ holds: [], claimedDiscountIds: [], unpaidInvoice: null });
    expect(state.failedPlacement?.code).to.equal('out-of-stock');
  });

  it('still holds everything when the older invoice could not be closed', () => {
    const state = ordered.happened(...placementStarted(), ...placementFailed(true)).state();
    expect(heldUnits(state, idNamed('mug'))).to.equal(3);
    expect(state.unpaidInvoice).to.deep.include({ isCurrent: false });
  });

  it('is out of reach once it has been paid', () => {
    const bought = ordered.happened(basketEvents.create.BasketCompleted({ invoiceId: idNamed('invoice') }));
    expect(isReachable(ordered.state())).to.equal(true);
    expect(isReachable(bought.state())).to.equal(false);
  });
});
