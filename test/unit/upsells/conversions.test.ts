import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import { invoiceEvents } from '#events/invoice.events.ts';
import type { ShownUpsell } from '#events/upsell.shapes.ts';
import { upsellSalesProjection } from '#projection/contexts/upsells/upsell-sales.projection.ts';
import { given, givenStream, inContext } from '#test/support/given.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { decidedAt, invoice, mugOrder } from '#test/support/builders/invoice.ts';

const { InvoiceCancelled, InvoiceCreated, UpsellConverted } = invoiceEvents.create;

const rules = inContext(invoiceDecider, decidedAt('2026-03-02T00:30:00.000Z'));
const confirm = { type: 'ConfirmSale' } as const;

const shown = (rule: string, ...roots: string[]): ShownUpsell => ({
  upsellRuleId: idNamed(rule),
  displayLocation: 'Basket',
  productRootIds: roots.map((root) => idNamed(root)),
});

const mugs = invoice('mugs');
/** Two mugs at £10 from one warehouse and a red one from another, with 10 % off. */
const [line] = mugOrder('order').lines;
const orders = [
  mugOrder('order'),
  {
    ...mugOrder('other order'),
    lines: [
      { ...line, quantity: 1, lineTotal: 1000, lineTotalInStoreCurrency: 1000 },
      { ...line, productId: idNamed('red mug'), lineTotal: 2400, lineTotalInStoreCurrency: 2000 },
    ] as (typeof line & {})[],
  },
];
const split = invoice('split', { content: { orders } });

const paid = (sold: ReturnType<typeof invoice>, ...shownUpsells: ShownUpsell[]) =>
  given(rules, [InvoiceCreated({ ...sold.placed.data, shownUpsells }), sold.captured()]);

const conversion = (rule: string, product: string, amountInStoreCurrency: number) => ({
  upsellRuleId: idNamed(rule),
  productId: idNamed(product),
  displayLocation: 'Basket',
  customerId: idNamed('ada'),
  amountInStoreCurrency,
  convertedDay: '2026-03-02',
});

// docs/rules/upsell-performance.md#attribution
describe('A suggestion', () => {
  it('that was bought counts when the sale is confirmed, without tax and before discounts', () => {
    paid(mugs, shown('tea', 'root mug'))
      .when(confirm)
      .thenLike(
        ['OrderStatusChanged'],
        ['SaleConfirmed'],
        ['UpsellConverted', { ...conversion('tea', 'mug', 2000), isFirstOfRule: true }],
      );
  });

  it('counts once for each rule and product: with all lines of the product, and each variant of its own', () => {
    paid(split, shown('tea', 'root mug', 'root pot'), shown('tea', 'root mug'), shown('jam', 'root mug'))
      .when(confirm)
      .thenLike(
        ...Array.from({ length: 2 }, () => ['OrderStatusChanged'] as const),
        ['SaleConfirmed'],
        ['UpsellConverted', { ...conversion('tea', 'mug', 3000), isFirstOfRule: true }],
        ['UpsellConverted', conversion('tea', 'red mug', 2000)],
        ['UpsellConverted', { ...conversion('jam', 'mug', 3000), isFirstOfRule: true }],
        ['UpsellConverted', conversion('jam', 'red mug', 2000)],
      );
  });

  it('that nobody bought counts for nothing, and a sale is confirmed once', () => {
    const ignored = paid(mugs, shown('tea', 'root pot'));
    ignored.when(confirm).thenLike(['OrderStatusChanged'], ['SaleConfirmed']);
    const confirmed = paid(mugs, shown('tea', 'root mug'));
    confirmed.after(confirm).when(confirm).thenNothing();
  });
});

let moments = 0;
const bought = (rule: string, customer: string, day: string, amount: number, isFirstOfRule = true) => {
  const convertedAt = `${day}T10:00:00.${String(++moments).padStart(3, '0')}Z`;
  return UpsellConverted({
    ...mugs.invoiceName,
    ...conversion(rule, 'mug', amount),
    displayLocation: 'Basket',
    customerId: idNamed(customer),
    ...(isFirstOfRule ? { isFirstOfRule: true as const } : {}),
    convertedDay: day,
    convertedAt,
  });
};

// docs/rules/upsell-performance.md#figures
describe('What suggestions have sold', () => {
  const cancelled = InvoiceCancelled({
    ...mugs.invoiceName,
    reason: 'changed my mind',
    cancelledAt: '2026-03-02T10:00:00.000Z',
    balance: mugs.placed.data.balance,
  });
  const sold = givenStream(
    mugs.stream,
    bought('tea', 'ada', '2026-03-01', 2000),
    bought('tea', 'ada', '2026-03-01', 500, false),
    bought('tea', 'bob', '2026-03-02', 1000),
    bought('jam', 'ada', '2026-03-02', 700),
    cancelled,
  );
  const figures = (key: string) => sold.project(upsellSalesProjection, key);
  const tea = idNamed('tea');

  it('is added up for a rule, for its days and for every rule; a cancellation changes nothing', () => {
    figures(`${tea} all`).then({ conversions: 3, revenue: 3500, invoices: 2 });
    figures(`${tea} month 2026-03`).then({
      ...{ of: 'month', month: '2026-03', conversions: 3, revenue: 3500 },
      days: {
        '2026-03-01': { conversions: 2, revenue: 2500 },
        '2026-03-02': { conversions: 1, revenue: 1000 },
      },
    });
    figures('every all').then({ upsellRuleId: 'every', conversions: 4, revenue: 4200 });
    figures('every month 2026-03').then({
      days: {
        '2026-03-01': { conversions: 2, revenue: 2500 },
        '2026-03-02': { conversions: 2, revenue: 1700 },
      },
    });
  });

  it('knows each customer once', () => {
    figures(`${tea} customer ${idNamed('ada')}`).then({ of: 'customer', conversions: 2 });
    figures(`${tea} customer ${idNamed('bob')}`).then({ of: 'customer', conversions: 1 });
  });
});
