import { expect } from 'chai';
import type { CheckoutCommand } from '#command/contexts/checkout/checkout.commands.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import { add, viewOf } from '#test/support/builders/basket.ts';
import { addresses, checkoutIn, type CheckoutBasket } from '#test/support/builders/checkout.ts';
import { warehousesWith } from '#test/support/builders/warehouses.ts';
import { given } from '#test/support/given.ts';

const shopWithTea = (changes: Partial<StoreSettings> = {}): CheckoutBasket =>
  given(
    checkoutIn(
      warehousesWith(
        { east: { options: { parcel: { fixedCost: 500 } } } },
        { mug: { price: 1000, stock: { east: 5 } }, tea: { price: 400, stock: { east: 5 } } },
      ),
      changes,
    ),
  );

const typed = (email: string): CheckoutCommand => ({ type: 'CaptureEmail', email, customerId: null });

/** What the events of a command say of an opened checkout. */
const opens = (basket: CheckoutBasket, command: CheckoutCommand): readonly unknown[] =>
  basket
    .when(command)
    .events()
    .map(({ data }) => (data as { readonly opens?: unknown }).opens);

/** Whether the events of a command say that the address is known. */
const marks = (basket: CheckoutBasket, command: Parameters<CheckoutBasket['when']>[0]): readonly unknown[] =>
  basket
    .when(command)
    .events()
    .map(({ data }) => 'pricing' in data && data.pricing.hasEmail);

describe('the first e-mail address of a basket', () => {
  const twoMugsAndTea = (changes: Partial<StoreSettings> = {}): CheckoutBasket =>
    shopWithTea(changes).after(add('mug', 2), add('tea'));
  const first = {
    at: '2030-06-01T12:00:00.000Z',
    day: '2030-06-01',
    lineCount: 2,
    total: 2400,
    displayCurrency: 'GBP',
  };

  it('says what is in it, typed or sent', () => {
    expect(opens(twoMugsAndTea(), typed('ada@example.com'))).to.deep.equal([first]);
    expect(opens(twoMugsAndTea(), addresses)).to.deep.equal([first]);
  });

  it('says it with the figures that the address brings', () => {
    const basket = twoMugsAndTea();
    const [event] = basket.when(addresses).events();
    if (event?.type !== 'CheckoutAddressesChanged') return expect.fail('no address');
    expect(event.data.opens?.total).to.equal(event.data.pricing.totals.total);
  });

  it('is of the day that it is in the shop', () => {
    const basket = twoMugsAndTea({ reportingTimeZone: 'Pacific/Auckland' });
    expect(opens(basket, addresses)).to.deep.equal([{ ...first, day: '2030-06-02' }]);
  });

  it('is the first one only once', () => {
    const basket = twoMugsAndTea().after(typed('ada@example.com'));
    expect(opens(basket, typed('grace@example.com'))).to.deep.equal([undefined]);
    expect(opens(basket, addresses)).to.deep.equal([undefined]);
  });

  it('comes again, as of the first time, to a basket that was emptied in between', () => {
    const basket = twoMugsAndTea().after(typed('ada@example.com'), { type: 'ClearBasket' }, add('tea'));
    expect(opens(basket, addresses)).to.deep.equal([{ ...first, lineCount: 1, total: 400, isAgain: true }]);
  });

  it('marks the changes that follow, and none before', () => {
    const before = twoMugsAndTea();
    expect(marks(before, add('mug'))).to.deep.equal([undefined]);
    const after = before.after(typed('ada@example.com'));
    expect(viewOf(after).captured?.email).to.equal('ada@example.com');
    expect(marks(after, add('mug'))).to.deep.equal([true]);
    expect(marks(after, add('tea'))).to.deep.equal([true]);
  });
});
