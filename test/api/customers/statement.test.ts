import { expect } from 'chai';
import { invoiceEvents } from '#events/invoice.events.ts';
import { closedBalance, invoiceBalance } from '#values/invoice-balance.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { customerWhoOwes } from '#test/support/builders/owed.ts';
import { invoice, type InvoiceWith } from '#test/support/builders/invoice.ts';
import { inStream, type GivenEvent } from '#test/support/given.ts';
import { openReadingShop, type ReadingShop } from '#test/support/reading-shop.ts';
import { body, refusedFor } from '#test/support/scene.ts';

const { InvoiceCancelled, InvoiceDeleted, InvoiceEdited, PaymentCaptured, PaymentRefunded } =
  invoiceEvents.create;
const TOTAL = 2640;

/** A sale of 26.40 (two mugs), and what becomes of it. */
const sale = (
  customer: { readonly customerId: string },
  name: string,
  given: InvoiceWith & { on: string },
) => {
  const createdAt = `${given.on}T09:00:00.000Z`;
  const made = invoice(name, {
    ...given,
    content: { customerId: customer.customerId, createdAt, businessDay: given.on, ...given.content },
  });
  const { currency } = made.placed.data.content;
  const at = (day: string) => `${day}T12:00:00.000Z`;
  const events: GivenEvent[] = [
    ...inStream(made.stream, made.placed, made.confirmed(invoiceBalance(TOTAL, 0, 0))),
  ];
  let [paid, refunded, givenBack, version] = [0, 0, 0, 0];
  let { content } = made.placed.data;
  const then = (event: Parameters<typeof inStream>[1]) => void events.push(...inStream(made.stream, event));
  const built = {
    events,
    paid: (day: string, amount: number, amountInStoreCurrency = amount) => {
      paid += amount;
      const balance = invoiceBalance(TOTAL, paid, refunded, givenBack);
      const { data } = made.captured(amount);
      then(
        PaymentCaptured({
          ...data,
          paymentId: idNamed(`${name} ${paid}`),
          transactionId: `tx-${name}-${paid}`,
          method: 'Transfer',
          amountInStoreCurrency,
          paidAt: at(day),
          balance,
        }),
      );
      return built;
    },
    refunded: (day: string, amount: number, beyondCredit: number) => {
      refunded += amount;
      givenBack += beyondCredit;
      then(
        PaymentRefunded({
          ...made.invoiceName,
          refundId: idNamed(`refund ${name}`),
          paymentId: idNamed(`${name} ${paid}`),
          ...{ provider: 'manual', amount, currency, by: 'staff', paymentType: 'PartialRefund' },
          ...{ transactionId: `re-${name}`, reason: 'Broken.', openRefunds: 0, refundedAt: at(day) },
          ...{
            amountInStoreCurrency: amount,
            givenBack: beyondCredit,
            givenBackInStoreCurrency: beyondCredit,
          },
          balance: invoiceBalance(TOTAL, paid, refunded, givenBack),
        }),
      );
      return built;
    },
    /** To this total. */
    edited: (day: string, total: number) => {
      const zero = { subTotal: 0, discount: 0, shipping: 0, tax: 0 };
      const amounts = { ...zero, total: total - content.amounts.total };
      content = {
        ...content,
        amounts: { ...content.amounts, total },
        amountsInStoreCurrency: { ...content.amountsInStoreCurrency, total },
      };
      version++;
      const { businessDay } = content;
      then(
        InvoiceEdited({
          ...{ invoiceNumber: given.number ?? '', businessDay, editId: idNamed(`${name} ${version}`) },
          ...{ placementId: idNamed(`place ${name}`), version, content, isOfSale: true },
          balance: invoiceBalance(total, paid, refunded, givenBack),
          difference: { amounts, cost: 0, items: 0, discounts: [], returns: 0 },
          ...{ orderStatuses: {}, stock: [], reason: 'One more.', by: 'mary', editedAt: at(day) },
        }),
      );
      return built;
    },
    cancelled: (day: string) => {
      const balance = closedBalance(TOTAL, paid, refunded, givenBack);
      const by = { reason: 'A mistake.', cancelledBy: 'staff' };
      then(InvoiceCancelled({ ...made.invoiceName, ...by, cancelledAt: at(day), balance }));
      return built;
    },
    deleted: (day: string) => {
      then(
        InvoiceDeleted({
          ...made.invoiceName,
          ...{
            deletedBy: 'staff',
            deletedAt: at(day),
            orderIds: [],
            paymentIds: [],
            completedDays: [],
            wasCancelled: false,
          },
          balance: closedBalance(TOTAL, paid, refunded, givenBack),
        }),
      );
      return built;
    },
  };
  return built;
};

interface Line {
  readonly date: string;
  readonly type: string;
  readonly reference: string;
  readonly description: string;
  readonly debit: number;
  readonly credit: number;
  readonly balance: number;
}
const short = ({ date, type, reference, debit, credit, balance }: Line) =>
  `${date.slice(0, 10)} ${type} ${reference} ${debit} ${credit} ${balance}`;

const ada = customerWhoOwes('Ada', { firstName: 'Ада', lastName: 'Λόβλεϊς 王' });
const bob = customerWhoOwes('Bob');
const eve = customerWhoOwes('Eve');
const flo = customerWhoOwes('Flo');

// docs/rules/account-terms.md#statement. The shop's clock stands at noon of 1 March 2026.
describe('The statement of a customer', () => {
  let shop: ReadingShop;
  before(async () => {
    shop = await openReadingShop([
      ...ada.registered,
      ...bob.registered,
      ...eve.registered,
      ...flo.registered,
      ...sale(ada, 'one', { number: 'INV-0001', on: '2025-11-10' }).paid('2025-12-01', TOTAL).events,
      ...sale(ada, 'two', { number: 'INV-0002', on: '2025-11-20' }).paid('2026-02-10', 1000).events,
      ...sale(ada, 'three', {
        number: 'INV-0003',
        on: '2026-02-01',
        content: { accountTerms: { dueDate: '2026-03-15T09:00:00.000Z' } },
      }).events,
      // 30.00 came, 3.60 too much: of 10.00 refunded 6.40 is given back.
      ...sale(bob, 'four', { number: 'INV-0004', on: '2026-01-05' })
        .paid('2026-01-06', 3000)
        .refunded('2026-01-07', 1000, 640).events,
      ...sale(bob, 'five', { number: 'INV-0005', on: '2026-01-10' })
        .paid('2026-01-11', TOTAL)
        .refunded('2026-01-12', 640, 640)
        .cancelled('2026-02-12').events,
      ...sale(bob, 'six', { number: 'INV-0006', on: '2026-01-15' })
        .paid('2026-01-16', 500)
        .deleted('2026-01-17').events,
      ...sale(bob, 'seven', { number: 'INV-0007', on: '2026-02-20' }).cancelled('2026-02-21').events,
      // In euros, at 1.25 for one: what is shown is the store's money.
      ...sale(eve, 'eight', {
        number: 'INV-0008',
        on: '2026-02-20',
        content: {
          currency: 'EUR',
          rate: '0.8',
          amountsInStoreCurrency: { subTotal: 1600, discount: 160, shipping: 320, tax: 352, total: 2112 },
        },
      }).paid('2026-02-21', 1320, 1056).events,
      ...sale(flo, 'nine', {
        number: 'INV-0009',
        on: '2025-11-25',
        content: { accountTerms: { dueDate: '2025-12-10T09:00:00.000Z' } },
      }).edited('2026-02-01', 4000).events,
      ...sale(flo, 'ten', { number: 'INV-0010', on: '2026-01-05' })
        .paid('2026-01-06', TOTAL)
        .edited('2026-02-10', 3000)
        .edited('2026-02-20', 2000).events,
    ]);
  });
  after(() => shop.close());

  const stated = (of: { readonly customerId: string }, query = '') =>
    shop.manage(`/customers/${of.customerId}/statement${query}`);

  it('lists sales and payments from the first one on, with the balance after each', () =>
    stated(ada)
      .then(200, {
        currencyCode: 'GBP',
        startDate: '2025-11-10',
        endDate: '2026-03-01',
        openingBalance: 0,
        closingBalance: 42.8,
      })
      .and(
        body(({ lines }) => {
          expect((lines as Line[]).map(short)).to.deep.equal([
            '2025-11-10 Invoice INV-0001 26.4 0 26.4',
            '2025-11-20 Invoice INV-0002 26.4 0 52.8',
            '2025-12-01 Payment tx-one-2640 0 26.4 26.4',
            '2026-02-01 Invoice INV-0003 26.4 0 52.8',
            '2026-02-10 Payment tx-two-1000 0 10 42.8',
          ]);
          expect(lines[2].description).to.equal('Payment of INV-0001 (Transfer)');
        }),
      ));

  it('opens with what was before its first day, and ages what is owed on its last', async () => {
    await stated(ada, '?startDate=2026-02-01&endDate=2026-02-28')
      .then(200, { openingBalance: 26.4, closingBalance: 42.8, startDate: '2026-02-01' })
      .and(
        body(({ lines, ageing }) => {
          expect((lines as Line[]).map(({ reference }) => reference)).to.deep.equal([
            'INV-0003',
            'tx-two-1000',
          ]);
          // The one without a due date is as old as the sale: 100 days.
          expect(ageing).to.deep.equal({
            ...{ current: 26.4, thirtyPlus: 0, sixtyPlus: 0, ninetyPlus: 16.4 },
            total: 42.8,
          });
        }),
      );
    await stated(ada, '?startDate=2025-11-15&endDate=2025-12-31')
      .then(200, { openingBalance: 26.4, closingBalance: 26.4 })
      .and(body(({ ageing }) => expect(ageing).to.include({ thirtyPlus: 26.4, total: 26.4 })));
    await stated(ada, '?startDate=2026-02-15')
      .then(200, { openingBalance: 42.8, closingBalance: 42.8, lines: [] })
      .and(body(({ ageing }) => expect(ageing.total).to.equal(42.8)));
  });

  it('shows what refunds give back on both sides, and leaves no trace of what is deleted', () =>
    stated(bob)
      .then(200, { openingBalance: 0, closingBalance: -20 })
      .and(
        body(({ lines, ageing }) => {
          expect((lines as Line[]).map(short)).to.deep.equal([
            '2026-01-05 Invoice INV-0004 26.4 0 26.4',
            '2026-01-06 Payment tx-four-3000 0 30 -3.6',
            '2026-01-07 Refund re-four 10 6.4 0',
            '2026-01-10 Invoice INV-0005 26.4 0 26.4',
            '2026-01-11 Payment tx-five-2640 0 26.4 0',
            '2026-01-12 Refund re-five 6.4 6.4 0',
            // What was given back is taken off what is owed to the customer.
            '2026-02-12 Invoice INV-0005 6.4 26.4 -20',
            '2026-02-20 Invoice INV-0007 26.4 0 6.4',
            '2026-02-21 Invoice INV-0007 0 26.4 -20',
          ]);
          expect(ageing.total).to.equal(0);
        }),
      ));

  it('closes one period with what the next one opens with, wherever it is cut', async () => {
    for (const day of ['2026-01-06', '2026-01-12', '2026-02-11', '2026-02-20']) {
      const next = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
      const { body: before } = await stated(bob, `?endDate=${day}`).then(200);
      const { body: after } = await stated(bob, `?startDate=${next}`).then(200);
      expect(after.openingBalance, day).to.equal(before.closingBalance);
      expect(after.closingBalance).to.equal(-20);
    }
  });

  it('shows what edits have changed on their day, and ages what is owed since by the day it was due', async () => {
    await stated(flo)
      .then(200, { openingBalance: 0, closingBalance: 33.6 })
      .and(
        body(({ lines, ageing }) => {
          expect((lines as Line[]).map(short)).to.deep.equal([
            '2025-11-25 Invoice INV-0009 26.4 0 26.4',
            '2026-01-05 Invoice INV-0010 26.4 0 52.8',
            '2026-01-06 Payment tx-ten-2640 0 26.4 26.4',
            '2026-02-01 Invoice INV-0009 13.6 0 40',
            '2026-02-10 Invoice INV-0010 3.6 0 43.6',
            '2026-02-20 Invoice INV-0010 0 10 33.6',
          ]);
          expect(lines[3].description).to.equal('Invoice changed');
          // 81 days; what is owed to the customer of the other one pays for nothing of it.
          expect(ageing).to.include({ sixtyPlus: 40, total: 40 });
        }),
      );
    await stated(flo, '?endDate=2026-01-31')
      .then(200, { closingBalance: 26.4 })
      .and(body(({ ageing }) => expect(ageing).to.include({ thirtyPlus: 26.4, total: 26.4 })));
    await stated(flo, '?startDate=2026-02-11').then(200, { openingBalance: 43.6, closingBalance: 33.6 });
  });

  it("is in the store's currency, at the rate of each invoice", () =>
    stated(eve)
      .then(200, { currencyCode: 'GBP', closingBalance: 10.56 })
      .and(
        body(({ lines }) =>
          expect((lines as Line[]).map(({ debit, credit }) => [debit, credit])).to.deep.equal([
            [21.12, 0],
            [0, 10.56],
          ]),
        ),
      ));

  it('is not there for somebody whom nobody knows', () =>
    stated({ customerId: idNamed('nobody') })
      .then(404)
      .and(refusedFor('entity-not-found')));

  for (const [query, problem] of [
    ['?startDate=2026-02-02&endDate=2026-02-01', 'endDate: a day must not be before startDate'],
    ['?startDate=yesterday', 'startDate: must be a date YYYY-MM-DD'],
    ['?endDate=2026-02-30', 'endDate: must be a day of the calendar'],
    ['?format=docx', 'format: must be json or pdf'],
  ] as const)
    it(`is 400: ${query}`, () => stated(ada, query).then(400, { errors: [problem] }));

  it('is printed on A4, with a name of any alphabet', async () => {
    const answer = await stated(ada, '?format=pdf').then(200);
    expect(answer.headers.get('content-type')).to.equal('application/pdf');
    expect(answer.headers.get('content-disposition')).to.equal(
      'attachment; filename="statement-2025-11-10-2026-03-01.pdf"',
    );
    expect(answer.text).to.match(/^%PDF-1\.\d[\s\S]*\/MediaBox \[0 0 595\.28 841\.89\][\s\S]*%%EOF\s*$/);
  });
});
