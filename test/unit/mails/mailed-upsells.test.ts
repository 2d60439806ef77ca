import { expect } from 'chai';
import { mailedUpsells } from '#dispatcher/contexts/mails/mailed-upsells.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { Recorded } from '#kernel/event.ts';
import { mailedInvoice } from '#mails/mailed-invoice.ts';
import { defaultStoreSettings } from '#values/store-settings.ts';
import { invoice } from '#test/support/builders/invoice.ts';
import { productNamed, referenceOf, warehouseNamed } from '#test/support/builders/reference.ts';
import { recommends, triggeredBy, upsellNamed } from '#test/support/builders/upsell.ts';
import { recordedEvents, type GivenEvent } from '#test/support/given.ts';

/** docs/rules/mails.md#suggestions */
describe('what a mail about a sale suggests', () => {
  /** After the rules have begun. */
  const createdAt = '2030-03-01T09:00:00.000Z';
  const settings = { ...defaultStoreSettings, storeCurrencyCode: 'GBP' };
  const shelf = [
    warehouseNamed('east'),
    productNamed('mug', { shelves: { east: 10 } }),
    productNamed('cup', { shelves: { east: 10 }, variant: { price: 500, url: '/products/cup' } }),
  ];
  const suggested = (
    rules: readonly (GivenEvent | readonly GivenEvent[])[],
    websiteUrl: string | null = 'https://shop.example.com/',
    sold = invoice('sold', { content: { createdAt } }),
  ) => {
    const known = mailedInvoice(recordedEvents(sold.sold()) as readonly Recorded<InvoiceEvent>[]);
    if (known === null) throw new Error('no invoice');
    const reference = referenceOf(...shelf, ...rules);
    return mailedUpsells({ reference, settings: () => ({ ...settings, websiteUrl }) }, known);
  };
  const rule = (displayLocation: number) =>
    upsellNamed('cups', {
      heading: 'Goes well with it',
      displayLocation,
      triggerRules: [triggeredBy('SpecificProducts', ['mug'])],
      recommendationRules: [recommends('SpecificProducts', ['cup'])],
    });

  it('is what rules for mails recommend, with price and address', () => {
    expect(suggested([rule(8)])).to.deep.equal([
      {
        heading: 'Goes well with it',
        products: [{ name: 'cup', formattedPrice: '£5.00', url: 'https://shop.example.com/products/cup' }],
      },
    ]);
  });

  it('is nothing without such a rule, or once the customer is forgotten', () => {
    expect(suggested([rule(1 + 2 + 4 + 16)])).to.deep.equal([]);
    const forgotten = invoice('forgotten', { customer: null, email: null, content: { createdAt } });
    expect(suggested([rule(8)], null, forgotten)).to.deep.equal([]);
  });

  it('leads nowhere where the website of the shop is not known', () => {
    expect(suggested([rule(8)], null)).to.have.nested.property('[0].products[0].url', null);
  });
});
