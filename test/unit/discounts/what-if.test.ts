import { expect } from 'chai';
import { createSalesReplay, type WhatIf } from '#command/contexts/discounts/what-if/replay-sales.ts';
import type { RuleChange } from '#command/contexts/discounts/what-if/reprice.ts';
import { checkoutEvents } from '#events/checkout.events.ts';
import { basketEvents } from '#events/basket.events.ts';
import { startedBasket } from '#events/basket-view.ts';
import { invoiceEvents } from '#events/invoice.events.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { idOf } from '#values/stream-name.ts';
import { idNamed, london } from '#test/support/builders/basket.ts';
import { productNamed } from '#test/support/builders/reference.ts';
import { ruleNamed } from '#test/support/builders/discount.ts';
import { bought, mugs, placed, shopWith } from '#test/support/builders/sold-log.ts';
import { inStream, recordedEvents, type GivenEvent } from '#test/support/given.ts';

const tenth = ruleNamed('tenth', { method: 'Automatic' });
const fifth = ruleNamed('fifth', { method: 'Automatic', value: 20 });
const added = (rule: typeof tenth): RuleChange => ({ kind: 'added', discount: rule });
const nothing: RuleChange = { kind: 'nothing' };

const whatIf = (
  change: RuleChange,
  events: readonly (readonly GivenEvent[])[],
  more: Partial<WhatIf> = {},
) => {
  const asked = { from: '2030-06-01', to: '2030-06-30', configured: {}, cancelled: new Set<string>() };
  const replay = createSalesReplay({ ...asked, change, ...more });
  const recorded = recordedEvents(events.flat());
  for (const event of recorded) {
    if (replay.hasForgotten(event)) {
      const before = recorded.filter((one) => one.stream === event.stream && one.revision < event.revision);
      replay.recall(idOf(event.stream), before);
    }
    replay.take(event);
  }
  const { days, ...rest } = replay.result();
  const of = (side: 'recorded' | 'recomputed', day = '2030-06-01') => days[day]?.[side];
  return { days, of, ...rest };
};

const usesOf = (...given: Parameters<typeof whatIf>): number => whatIf(...given).rule.recomputed.uses;

/** A sale that staff call off later on, when others have been placed. */
const cancelled = ({ content, invoiceStream }: ReturnType<typeof placed>): readonly GivenEvent[] => {
  const event: DomainEvent = invoiceEvents.create.InvoiceCancelled({
    invoiceNumber: 'any',
    businessDay: content.businessDay,
    reason: null,
    cancelledAt: '2030-06-02T12:00:00.000Z',
    balance: {
      amountPaid: 0,
      amountRefunded: 0,
      balanceDue: 0,
      creditDue: 0,
      givenBack: 0,
      paymentStatus: 'Unpaid',
    },
  });
  return inStream(invoiceStream, event);
};

describe('What-if', () => {
  it('takes off each order what a new rule would have, with the tax on it', () => {
    const shop = [shopWith(), bought('one', mugs(2)), bought('two', mugs(1))];
    const { of, rule, ordersChanged, check } = whatIf(added(tenth), shop);
    // 20.00 and 10.00 with 20 % tax; a tenth off before it.
    expect(of('recorded')).to.deep.equal({ sales: 3600, discounts: 0, ordersTouched: 0, uses: 0 });
    expect(of('recomputed')).to.deep.equal({ sales: 3240, discounts: 300, ordersTouched: 2, uses: 2 });
    expect(rule.recomputed).to.deep.equal({ uses: 2, takenOff: 300 });
    expect(ordersChanged).to.equal(2);
    expect(check.asRecorded).to.equal(2);
  });

  it('gives back what a removed rule took, and lets in the rule that had lost to it', () => {
    const events = [shopWith(tenth, fifth), bought('one', mugs(2, [tenth, fifth]))];
    const { of, rule, check } = whatIf({ kind: 'removed', discountId: fifth.id }, events);
    expect(check.differences).to.deep.equal([]);
    expect(of('recorded')).to.include({ sales: 1920, discounts: 400 });
    expect(of('recomputed')).to.include({ sales: 2160, discounts: 200 });
    expect(rule.recorded).to.deep.equal({ uses: 1, takenOff: 400 });
  });

  it('changes nothing before the first day and after the last', () => {
    const events = [shopWith(), bought('may', mugs(1), { day: '2030-05-31' }), bought('one', mugs(1))];
    const { days, rule } = whatIf(added(tenth), events, { to: '2030-06-01' });
    expect(Object.keys(days)).to.deep.equal(['2030-06-01']);
    expect(rule.recomputed.uses).to.equal(1);
  });

  it('counts uses along the way, in all and per customer', () => {
    const orders = ['ada', 'bob', 'ada', 'eve'].map((customer, index) =>
      bought(`order ${index}`, mugs(1), { customer }),
    );
    const limited = (limits: object) => added(ruleNamed('tenth', { method: 'Automatic', ...limits }));
    expect(usesOf(limited({ totalUsageLimit: 1 }), orders)).to.equal(1);
    expect(usesOf(limited({ perCustomerUsageLimit: 1 }), orders)).to.equal(3);
  });

  it('gives a use back with an order that is closed, or placed again', () => {
    const once = added(ruleNamed('tenth', { method: 'Automatic', totalUsageLimit: 1 }));
    const first = placed('first', mugs(1));
    const given = [first.started, first.placed, cancelled(first), bought('second', mugs(1))];
    expect(usesOf(once, given)).to.equal(1);
    const again = placed('again', mugs(2), { basketName: 'first', instead: 'first' });
    expect(usesOf(once, [first.started, first.placed, again.placed, again.sold])).to.equal(1);
  });

  it('leaves out a sale that was cancelled, whose use another order has from then on', () => {
    const once = added(ruleNamed('tenth', { method: 'Automatic', totalUsageLimit: 1 }));
    const first = placed('first', mugs(1));
    const meanwhile = bought('meanwhile', mugs(1));
    const given = [
      first.started,
      first.placed,
      first.sold,
      meanwhile,
      cancelled(first),
      bought('last', mugs(1)),
    ];
    const { of, rule } = whatIf(once, given, { cancelled: new Set([idNamed('first')]) });
    expect(of('recorded')).to.include({ sales: 2400 });
    expect(rule.recomputed).to.deep.equal({ uses: 1, takenOff: 100 });
  });

  it('leaves the uses with an older order that could not be replaced', () => {
    const once = added(ruleNamed('tenth', { method: 'Automatic', totalUsageLimit: 1 }));
    const first = placed('first', mugs(1));
    const again = placed('again', mugs(2), { basketName: 'first', instead: 'first' });
    const [begun] = again.placed;
    const failed = checkoutEvents.create.OrderPlacementFailed({
      placementId: idNamed('placement again'),
      code: 'already-paid',
      message: 'Paid.',
      details: {},
      keepsHolds: true,
    });
    const stream = again.started[0]?.stream ?? '';
    const replaced = [...(begun ? [begun] : []), ...inStream(stream, failed)];
    const given = [first.started, first.placed, replaced, first.sold, bought('second', mugs(1))];
    expect(usesOf(once, given)).to.equal(1);
  });

  it('lists a sale that does not come out as it was recorded, and leaves it as it was', () => {
    // The rule is in force, and the invoice does not have it.
    const events = [shopWith(tenth), bought('one', mugs(2))];
    const { of, check } = whatIf({ kind: 'removed', discountId: tenth.id }, events);
    expect(check).to.deep.include({ sales: 1, asRecorded: 0, reasons: { unexplained: 1 } });
    expect(check.differences[0]).to.include({
      invoiceNumber: 'one',
      day: '2030-06-01',
      reason: 'unexplained',
    });
    expect(check.differences[0]?.figures).to.deep.include({
      figure: 'total',
      currency: 'GBP',
      recorded: 2400,
      recomputed: 2160,
    });
    expect(of('recomputed')).to.deep.equal(of('recorded'));
  });

  it('takes orders that staff wrote as they are, on both sides', () => {
    const { content, invoiceStream, sold } = placed('one', mugs(2));
    const written = sold.map((event) => ({
      ...event,
      data: { ...(event.data as object), content: { ...content, basketId: null } },
      stream: invoiceStream,
    }));
    const { of, check } = whatIf(added(tenth), [shopWith(), written]);
    expect(check.left).to.deep.equal({ 'manual-order': 1 });
    expect(of('recorded')).to.include({ sales: 2400 });
    expect(of('recomputed')).to.deep.equal(of('recorded'));
  });

  it('keeps the tax that a provider said where amounts stay, and takes its rates where they do not', () => {
    const { content } = placed('one', mugs(2));
    const [order] = content.orders;
    const [line] = order?.lines ?? [];
    if (!order || !line) throw new Error('an order has a line');
    // The provider says 19.3 %, and rounds 3.86 down to 3.85.
    const taxed = { subTotal: 2000, discount: 0, shipping: 0, tax: 385, total: 2385 };
    const said = {
      ...content,
      amounts: taxed,
      amountsInStoreCurrency: taxed,
      orders: [{ ...order, lines: [{ ...line, taxRate: 19.3, tax: 385 }] }],
    };
    const { started, placed: made, sold } = placed('one', mugs(2), { content: said });
    const totals = { ...startedBasket('GBP', london).totals, taxEstimation: null };
    const asked = basketEvents.create.BasketRepriced({
      destination: london,
      pricing: { totals, discounts: [], changedLines: [] },
    });
    const events = [shopWith(), started, inStream(started[0]?.stream ?? '', asked), made, sold];
    const { of, check } = whatIf(added(tenth), events);
    expect(check.asRecorded).to.equal(1);
    // 18.00 and 19.3 % of it, 3.474.
    expect(of('recomputed')).to.include({ sales: 2147, discounts: 200 });
  });

  it('knows where goods were sent from, and what the shopper had taken off', () => {
    const hull = ruleNamed('from Hull', {
      method: 'Automatic',
      category: 'AmountOffProducts',
      targetRules: [{ targetType: 'Warehouses', targetIds: [idNamed('Hull')], isExclusion: false }],
    });
    const sentFrom = (warehouse: string) => {
      const { content } = placed(warehouse, mugs(1));
      const orders = content.orders.map((order) => ({ ...order, warehouseId: idNamed(warehouse) }));
      return bought(warehouse, mugs(1), { content: { ...content, orders } });
    };
    const products = productNamed('mug', { variant: { price: 1000 } });
    expect(usesOf(added(hull), [shopWith(), products, sentFrom('Hull'), sentFrom('York')])).to.equal(1);

    const { started, placed: made, sold } = placed('one', mugs(1));
    const takenOff = checkoutEvents.create.DiscountTakenOff({
      discountId: tenth.id,
      code: null,
      name: 'tenth',
      pricing: { totals: startedBasket('GBP', london).totals, discounts: [], changedLines: [] },
    });
    const events = [shopWith(tenth), started, inStream(started[0]?.stream ?? '', takenOff), made, sold];
    expect(whatIf(nothing, events).check.asRecorded).to.equal(1);
  });

  it('knows a basket that it has forgotten by its stream', () => {
    const code = ruleNamed('CODE');
    const order = (name: string) => placed(name, mugs(1), { codes: [code] });
    const orders = [order('one'), order('two')];
    const given = [...orders.map(({ started }) => started), ...orders.map((one) => one.placed)];
    const sold = orders.map((one) => one.sold);
    const events = [shopWith(code), ...given, ...sold];
    const remembered = whatIf(nothing, events).check;
    // The code takes a tenth off what the invoices say: both are noticed, whatever is remembered.
    expect(remembered.reasons).to.deep.equal({ unexplained: 2 });
    expect(whatIf(nothing, events, { mostBaskets: 1 }).check).to.deep.equal(remembered);
  });
});
