import { expect } from 'chai';
import {
  add,
  chooseCurrency,
  giveAddresses,
  initialize,
  manage,
  pay,
  payInvoice,
} from '#test/support/requests.ts';
import { TestShop } from '#test/support/shop.ts';

interface PaymentRow {
  readonly amount: number;
  readonly currencyCode: string;
  readonly amountInStoreCurrency: number;
}

/** docs/rules/refunds.md#how-much */
describe('F16: refunds of an order in another currency whose rate has moved since', () => {
  let shop: TestShop;

  before(async () => {
    shop = await TestShop.open({ settings: { storeCurrencyCode: 'USD' } });
  });
  after(() => shop.close());

  const setRates = async (rates: object): Promise<void> => {
    const path = '/exchange-rate-providers/manual/settings';
    expect((await shop.admin.ask(manage.put(path, { configuration: { rates } }))).status).to.equal(200);
    await shop.settle();
  };
  const shown = async (path: string) => {
    await shop.settle();
    return (await shop.admin.ask(manage.get(path))).body;
  };
  /** 20.00 and 20 % tax, 5.00 shipping: 29.00 dollars, at 0.93 26.97 euros. */
  const buy = async () => {
    const mug = await shop.sell('mug', { price: 20 });
    await setRates({ EUR: 0.93 });
    const shopper = shop.shopper();
    for (const step of [add(mug), chooseCurrency({ currencyCode: 'EUR' }), giveAddresses(), initialize()])
      expect((await shopper.ask(step)).status).to.equal(200);
    const { invoiceId } = (await shopper.ask(pay())).body;
    const { paymentId } = (await shopper.ask(payInvoice(invoiceId))).body;
    return { invoiceId, paymentId } as { readonly invoiceId: string; readonly paymentId: string };
  };
  const refund = async (paymentId: string, amount: number | null): Promise<number> => {
    const answer = await shop.admin.ask(
      manage.post(`/payments/${paymentId}/refund`, { amount, reason: 'Chipped' }),
    );
    expect(answer.status, answer.text).to.equal(200);
    return answer.body.amount as number;
  };
  const rowsOf = async (invoiceId: string) =>
    ((await shown(`/invoices/${invoiceId}/payments`)).items as PaymentRow[]).map(
      ({ amount, currencyCode, amountInStoreCurrency }) => [amount, currencyCode, amountInStoreCurrency],
    );

  it('go by the rate of the order, part by part, and come to exactly what was paid in both currencies', async () => {
    const { invoiceId, paymentId } = await buy();
    const { dateCreated } = await shown(`/orders/${invoiceId}`);
    const day = (dateCreated as string).slice(0, 10);
    const reported = async (): Promise<object> => {
      const window = `startDate=${day}&endDate=${day}&compareMode=None`;
      const { grossSales, returns, netSales, total } = await shown(`/reporting/breakdown?${window}`);
      return { grossSales, returns, netSales, total };
    };
    const paid = [26.97, 'EUR', 29];
    expect(await rowsOf(invoiceId)).to.deep.equal([paid]);
    expect(await reported()).to.deep.equal({ grossSales: 20, returns: 0, netSales: 20, total: 29 });

    await setRates({ EUR: 0.5 });
    expect(await refund(paymentId, 3.33)).to.equal(-3.33);
    expect(await rowsOf(invoiceId)).to.deep.equal([paid, [-3.33, 'EUR', -3.58]]);
    expect(await reported()).to.deep.equal({ grossSales: 20, returns: 3.58, netSales: 16.42, total: 25.42 });
    expect(await shown(`/invoices/${invoiceId}/payment-status`)).to.include({
      paymentStatus: 'PartiallyRefunded',
      ...{ amountPaid: 26.97, amountRefunded: 3.33, balanceDue: 0, creditDue: 0 },
    });

    await setRates({ EUR: 1.7 });
    for (const amount of [0.01, 10]) await refund(paymentId, amount);
    const over = { amount: 13.64, reason: 'Too much' };
    expect((await shop.admin.ask(manage.post(`/payments/${paymentId}/refund`, over))).status).to.equal(400);

    // There is no rate any more.
    await setRates({ JPY: 150 });
    expect(await refund(paymentId, null)).to.equal(-13.63);
    expect(await rowsOf(invoiceId)).to.deep.equal([
      paid,
      [-3.33, 'EUR', -3.58],
      [-0.01, 'EUR', -0.01],
      [-10, 'EUR', -10.75],
      [-13.63, 'EUR', -14.66],
    ]);
    expect(await reported()).to.deep.equal({ grossSales: 20, returns: 29, netSales: -9, total: 0 });
    expect(await shown(`/orders/${invoiceId}`)).to.include({
      ...{ currencyCode: 'EUR', total: 26.97, totalInStoreCurrency: 29 },
      ...{ amountPaid: 26.97, balanceDue: 0, creditDue: 0 },
    });
    const made = (await shop.tester.get('/testing/sandbox-refunds')).body as {
      amount: number;
      currency: string;
    }[];
    expect(made.map(({ amount, currency }) => [amount, currency])).to.deep.equal(
      [3.33, 0.01, 10, 13.63].map((amount) => [amount, 'EUR']),
    );
  });
});
