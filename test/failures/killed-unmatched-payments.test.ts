import { expect } from 'chai';
import { newId } from '#kernel/ids.ts';
import { useMortalShop } from '#test/support/mortal-shop.ts';
import { callbackRequest } from '#test/support/provider-callbacks.ts';
import { manage } from '#test/support/requests.ts';

const matching = [
  ['before', 'UnmatchedPaymentMatched'],
  ['after', 'UnmatchedPaymentMatched'],
  ['before', 'PaymentCaptured'],
  ['after', 'PaymentCaptured'],
  ['before', 'UnmatchedPaymentPlaced'],
] as const;
const refunding = [
  ['before', 'UnmatchedRefundAttempted'],
  ['after', 'UnmatchedRefundAttempted'],
  ['before', 'UnmatchedPaymentRefunded'],
  ['after', 'UnmatchedPaymentRefunded'],
] as const;

/** What staff have decided is in the log. */
const isDecided = (when: string, eventType: string): boolean =>
  when === 'after' || !['UnmatchedPaymentMatched', 'UnmatchedRefundAttempted'].includes(eventType);

/** docs/rules/unmatched-payments.md */
describe('a shop that is killed over money without an order', () => {
  const at = useMortalShop();

  const told = (transactionId: string) =>
    at.shop.tester.ask(
      callbackRequest({
        id: `evt_${transactionId}`,
        type: 'PaymentCompleted',
        data: { transactionId, amount: 17, currency: 'GBP' },
      }),
    );
  const listed = async () => {
    await at.shop.settle();
    const { body } = await at.shop.admin.ask(manage.get('/payments/unmatched'));
    return body.items as { id: string; transactionId: string }[];
  };
  const received = async (): Promise<string> => {
    expect((await told(`tx-${newId()}`)).status).to.equal(200);
    const [row] = await listed();
    return row?.id ?? expect.fail('it is not listed');
  };

  for (const when of ['before', 'after'] as const)
    it(`as it hears of it, ${when} UnmatchedPaymentReceived: it is listed once`, async () => {
      await at.shop.live({ when, eventType: 'UnmatchedPaymentReceived' });
      const transactionId = `tx-${newId()}`;
      await at.shop.killedBy(told(transactionId));
      expect((await told(transactionId)).status).to.equal(200);
      expect((await listed()).map((row) => row.transactionId)).to.deep.equal([transactionId]);
    });

  for (const [when, eventType] of matching)
    it(`as staff match it, ${when} ${eventType}: it is one payment and one sale`, async () => {
      const mug = await at.shop.sell('mug', { price: 10, stock: 5 });
      const id = await received();
      await at.shop.live({ when, eventType });
      const shopper = at.shop.shopper();
      await shopper.prepare(mug);
      const invoiceId = (await shopper.pay()).body.invoiceId as string;
      const match = manage.post(`/payments/unmatched/${id}/match`, { invoiceId });
      await at.shop.killedBy(at.shop.admin.ask(match));
      if (isDecided(when, eventType)) expect(await listed(), 'it goes on by itself').to.deep.equal([]);
      expect((await at.shop.admin.ask(match)).status).to.equal(200);
      expect(await listed()).to.deep.equal([]);
      const { body } = await at.shop.admin.ask(manage.get(`/invoices/${invoiceId}/payment-status`));
      expect(body).to.include({ paymentStatus: 'Paid', amountPaid: 17 });
      expect(await at.shop.soundSales()).to.equal(1);
    });

  for (const [when, eventType] of refunding)
    it(`as staff give it back, ${when} ${eventType}: it is given back once`, async () => {
      const id = await received();
      await at.shop.live({ when, eventType });
      const refund = manage.post(`/payments/unmatched/${id}/refund`);
      await at.shop.killedBy(at.shop.admin.ask(refund));
      if (isDecided(when, eventType)) expect(await listed(), 'it goes on by itself').to.deep.equal([]);
      const { status, body } = await at.shop.admin.ask(refund);
      expect([status, body.status]).to.deep.equal([200, 'Refunded']);
      expect(await listed()).to.deep.equal([]);
      const refunds = (await at.shop.tester.get('/testing/sandbox-refunds')).body as { amount: number }[];
      expect(refunds.map(({ amount }) => amount)).to.deep.equal([17]);
    });
});
