import { expect } from 'chai';
import {
  settlePayment,
  type SettlementInput,
  type SettlementStep,
} from '#command/contexts/payments/settle-payment.process.ts';
import { drive } from '#command/engine/process-runner.ts';
import type { ChargeOutcome } from '#ports/payment-provider.ts';
import { idNamed } from '#test/support/builders/basket.ts';

const attempt = {
  attemptId: idNamed('attempt'),
  provider: 'sandbox',
  method: 'card',
  token: 'tok_success',
  amount: 2640,
  currency: 'GBP',
  firstAsk: idNamed('ask'),
  attemptedAt: null,
};
const { attemptId } = attempt;

/** Settles with a provider that answers this; answers the steps in their order. */
const steps = async (
  opening: SettlementInput,
  outcome: ChargeOutcome,
  isPaid = true,
): Promise<SettlementStep[]> => {
  const sent: SettlementStep[] = [];
  const answers: Record<SettlementStep['step'], SettlementInput> = {
    charge: { type: 'charged', attemptId, askId: attempt.firstAsk, outcome },
    capture: { type: 'captured', isPaid },
    decline: { type: 'ended' },
    giveUp: { type: 'ended' },
    recordSale: { type: 'saleRecorded', previousSaleDay: '2026-02-01' },
    completeBasket: { type: 'basketCompleted' },
    confirmSale: { type: 'ended' },
  };
  await drive(settlePayment, opening, (step) => {
    sent.push(step);
    return Promise.resolve(answers[step.step]);
  });
  return sent;
};

const completed: ChargeOutcome = { kind: 'completed', transactionId: 'sandbox-1' };
const attempted: SettlementInput = { type: 'attempted', attempt };

describe('settling a payment', () => {
  it('charges, records it, closes the basket and announces the sale', async () => {
    expect(await steps(attempted, completed)).to.deep.equal([
      { step: 'charge', attempt },
      { step: 'capture', attemptId, transactionId: 'sandbox-1' },
      { step: 'recordSale' },
      { step: 'completeBasket' },
      { step: 'confirmSale', previousSaleDay: '2026-02-01' },
    ]);
  });

  it('announces nothing while a part is still owed', async () => {
    const sent = await steps(attempted, completed, false);
    expect(sent.map(({ step }) => step)).to.deep.equal(['charge', 'capture']);
  });

  it('goes on from what is paid already', async () => {
    const sent = await steps({ type: 'paid' }, completed);
    expect(sent.map(({ step }) => step)).to.deep.equal(['recordSale', 'completeBasket', 'confirmSale']);
  });

  it('announces the sale after both the customer and the basket, whichever is last', () => {
    const opened = settlePayment.react(settlePayment.initial(), { type: 'paid' });
    const basketFirst = settlePayment.react(opened.state, { type: 'basketCompleted' });
    expect(basketFirst.outputs).to.deep.equal([]);
    const last = settlePayment.react(basketFirst.state, {
      type: 'saleRecorded',
      previousSaleDay: '2026-02-01',
    });
    expect(last.outputs).to.deep.equal([{ step: 'confirmSale', previousSaleDay: '2026-02-01' }]);
  });

  it('records a no and leaves the invoice to be paid otherwise', async () => {
    const sent = await steps(attempted, { kind: 'refused', code: 'card_declined', message: 'No.' });
    expect(sent.at(-1)).to.deep.equal({ step: 'decline', attemptId, code: 'card_declined', message: 'No.' });
  });

  it('gives up an attempt that was certainly not charged', async () => {
    const sent = await steps(attempted, { kind: 'unavailable' });
    expect(sent.at(-1)).to.deep.equal({ step: 'giveUp', attemptId, askId: attempt.firstAsk });
  });

  it('leaves an attempt open whose outcome is unknown', async () => {
    expect(await steps(attempted, { kind: 'unknownOutcome' })).to.deep.equal([{ step: 'charge', attempt }]);
  });

  it('sends the same steps when it is sent again from the start', async () => {
    expect(await steps(attempted, completed)).to.deep.equal(await steps(attempted, completed));
  });
});
