import { expect } from 'chai';
import {
  placeOrder,
  type Placement,
  type PlacementInput,
  type PlacementStep,
} from '#command/contexts/checkout/place-order.process.ts';
import { drive } from '#command/engine/process-runner.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { placementOf } from '#test/support/builders/order.ts';

const soldOut = { code: 'out-of-stock', message: 'Sold out.', details: {} };

/** Drives a placement; every step is done, but for those that are refused. Answers the steps in their order. */
const steps = async (
  placement: Placement,
  isRefused: (step: PlacementStep) => boolean = () => false,
): Promise<PlacementStep[]> => {
  const sent: PlacementStep[] = [];
  const perform = (step: PlacementStep): Promise<PlacementInput> => {
    sent.push(step);
    if (isRefused(step)) return Promise.resolve({ type: 'refused', refusal: soldOut });
    if (step.step === 'number') return Promise.resolve({ type: 'done', number: 7 });
    return Promise.resolve(
      step.step === 'create' ? { type: 'done', invoiceNumber: 'INV-0007' } : { type: 'done' },
    );
  };
  await drive(placeOrder, { type: 'started', placement }, perform);
  return sent;
};

const names = (sent: readonly PlacementStep[]): string[] => sent.map(({ step }) => step);

const mug = { productId: idNamed('mug'), warehouseId: idNamed('east') };
const tea = { productId: idNamed('tea'), warehouseId: idNamed('west') };

describe('placing an order', () => {
  it('reserves, claims, takes a number and makes the invoice, in this order', async () => {
    const sent = await steps(placementOf());
    expect(names(sent)).to.deep.equal(['reserve', 'claim', 'number', 'create', 'complete']);
    expect(sent.at(3)).to.deep.equal({ step: 'create', number: 7 });
    expect(sent.at(-1)).to.deep.equal({ step: 'complete', invoiceNumber: 'INV-0007' });
  });

  it('passes over what it does not need', async () => {
    const sent = await steps(placementOf({ holds: [], discountClaims: [] }));
    expect(names(sent)).to.deep.equal(['number', 'create', 'complete']);
  });

  it('closes the older invoice first, and gives back at the end what the new one does not need', async () => {
    const placement = placementOf({
      supersededInvoiceId: idNamed('older'),
      holds: [
        { ...mug, quantity: 2 },
        { ...tea, quantity: 0 },
      ],
      discountReleases: [idNamed('OLD')],
    });
    const sent = await steps(placement);
    expect(names(sent)).to.deep.equal([
      'supersede',
      'reserve',
      'claim',
      'number',
      'create',
      'release',
      'unclaim',
      'complete',
    ]);
    expect(sent.at(5)).to.deep.equal({ step: 'release', hold: { ...tea, quantity: 0 } });
    expect(sent.at(6)).to.deep.equal({ step: 'unclaim', discountId: idNamed('OLD') });
  });

  it('sends the steps of one phase together and waits for all of them', () => {
    const holds = [mug, tea].map((row) => ({ ...row, quantity: 1 }));
    const opened = placeOrder.react(placeOrder.initial(), {
      type: 'started',
      placement: placementOf({ holds }),
    });
    expect(names(opened.outputs)).to.deep.equal(['reserve', 'reserve']);
    const first = placeOrder.react(opened.state, { type: 'done' });
    expect(first.outputs).to.deep.equal([]);
    expect(names(placeOrder.react(first.state, { type: 'done' }).outputs)).to.deep.equal(['claim']);
  });

  it('leaves everything as it was when the older invoice cannot be closed', async () => {
    const placement = placementOf({ supersededInvoiceId: idNamed('older') });
    const sent = await steps(placement, ({ step }) => step === 'supersede');
    expect(names(sent)).to.deep.equal(['supersede', 'fail']);
    expect(sent.at(-1)).to.deep.equal({ step: 'fail', refusal: soldOut, keepsHolds: true });
  });

  for (const refused of ['reserve', 'claim', 'number', 'create'] as const) {
    it(`gives everything back when it is refused at "${refused}"`, async () => {
      const placement = placementOf({ discountReleases: [idNamed('OLD')] });
      const sent = await steps(placement, ({ step }) => step === refused);
      const after = sent.slice(names(sent).indexOf(refused) + 1);
      expect(names(after)).to.deep.equal(['release', 'unclaim', 'unclaim', 'fail']);
      expect(after[0]).to.deep.equal({ step: 'release', hold: { ...mug, quantity: 0 } });
      expect(after.at(-1)).to.deep.equal({ step: 'fail', refusal: soldOut, keepsHolds: false });
    });
  }

  it('waits for its other steps before it undoes a refused one, and tells the first refusal', async () => {
    const holds = [mug, tea].map((row) => ({ ...row, quantity: 1 }));
    const opened = placeOrder.react(placeOrder.initial(), {
      type: 'started',
      placement: placementOf({ holds }),
    });
    const refused = placeOrder.react(opened.state, { type: 'refused', refusal: soldOut });
    expect(refused.outputs).to.deep.equal([]);
    const second = { ...soldOut, message: 'Another one.' };
    const undoing = placeOrder.react(refused.state, { type: 'refused', refusal: second });
    expect(names(undoing.outputs)).to.deep.equal(['release', 'release', 'unclaim']);
    let state = undoing.state;
    for (const _ of [1, 2]) state = placeOrder.react(state, { type: 'done' }).state;
    expect(placeOrder.react(state, { type: 'done' }).outputs).to.deep.equal([
      { step: 'fail', refusal: soldOut, keepsHolds: false },
    ]);
  });

  it('keeps an invoice that was made, whatever is said of the tidying up', async () => {
    const placement = placementOf({ discountReleases: [idNamed('OLD')] });
    const sent = await steps(placement, ({ step }) => step === 'unclaim');
    expect(names(sent).at(-1)).to.equal('complete');
  });

  it('sends the same steps when it is sent again from the start', async () => {
    const placement = placementOf({ supersededInvoiceId: idNamed('older') });
    expect(await steps(placement)).to.deep.equal(await steps(placement));
  });
});
