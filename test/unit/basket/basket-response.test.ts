import { expect } from 'chai';
import {
  basketResponse,
  basketMutationText,
  basketSummaryResponse,
  emptyStorefrontBasketResponse,
} from '#contracts/basket-response.ts';
import { basketFields, basketMutationResponse } from '#contracts/basket.contract.ts';
import type { BasketPresentation } from '#contracts/basket-line-response.ts';
import { checkoutEvents } from '#events/checkout.events.ts';
import { changedBasket, type BasketView } from '#events/basket-view.ts';
import { priceBasket } from '#command/pricing/price-basket.ts';
import {
  add,
  basketIn,
  codeOf,
  idNamed,
  offer,
  percentOff,
  pricesOf,
  viewOf,
  type ShopFloor,
} from '#test/support/builders/basket.ts';
import { ruleNamed } from '#test/support/builders/discount.ts';
import { given } from '#test/support/given.ts';

const id = idNamed('basket');
const pounds: BasketPresentation = {
  storeCurrency: 'GBP',
  display: { currency: 'GBP', rate: '1' },
  displayPricesIncTax: false,
};
const poundsWithTax: BasketPresentation = { ...pounds, displayPricesIncTax: true };
const euros: BasketPresentation = { ...pounds, display: { currency: 'EUR', rate: '1.17' } };
const yen: BasketPresentation = { ...pounds, display: { currency: 'JPY', rate: '188.5' } };

const shop: ShopFloor = {
  offers: { mug: offer(1250, 20), pen: offer(333, 5) },
  discounts: [percentOff('TEN', 10)],
};

const filled = (): BasketView => viewOf(given(basketIn(shop)).after(add('mug', 2), add('pen', 3)));

const withCode = (view: BasketView): BasketView => {
  const code = codeOf(percentOff('TEN', 10));
  const prices = pricesOf(shop.offers, shop.discounts);
  const { pricing } = priceBasket({ lines: view.lines, codes: [code], shipping: 0 }, prices);
  return changedBasket(view, checkoutEvents.create.DiscountCodeApplied({ ...code, pricing }));
};

describe('the answer for a basket', () => {
  it('has every field that its contract names', () => {
    for (const presentation of [pounds, poundsWithTax, euros, yen]) {
      const answer = basketResponse(id, withCode(filled()), presentation);
      expect(basketFields.parse(answer)).to.deep.equal(answer);
    }
  });

  it('shows what was recorded, in the store’s currency', () => {
    const answer = basketResponse(id, filled(), pounds);
    expect(answer).to.deep.include({
      id,
      itemCount: 5,
      subTotal: 34.99,
      tax: 5.5,
      total: 40.49,
      formattedTotal: '£40.49',
      displayTotal: 40.49,
      exchangeRate: 1,
      taxIncludedMessage: null,
    });
    expect(answer.lineItems[0]).to.deep.include({
      unitPrice: 12.5,
      lineTotal: 25,
      formattedLineTotal: '£25.00',
      taxRate: 20,
    });
  });

  it('lists discounts as lines with negative amounts, and once as discounts', () => {
    const answer = basketResponse(id, withCode(filled()), pounds);
    const [, , discount] = answer.lineItems;
    expect(discount).to.deep.include({
      lineItemType: 'Discount',
      quantity: 1,
      unitPrice: -3.5,
      formattedLineTotal: '-£3.50',
      name: '10 % off',
      discountId: idNamed('TEN'),
      discountTarget: 'order',
      parentLineItemId: null,
    });
    expect(answer.appliedDiscounts).to.deep.equal([
      {
        id: idNamed('TEN'),
        name: '10 % off',
        code: 'TEN',
        amount: 3.5,
        formattedAmount: '£3.50',
        isAutomatic: false,
      },
    ]);
    expect(answer).to.deep.include({ discount: 3.5, adjustedSubTotal: 31.49, itemCount: 5 });
  });

  it('also lists a code that takes nothing off at the moment', () => {
    const code = { discountId: idNamed('TEN'), code: 'TEN', name: '10 % off' };
    const answer = basketResponse(id, { ...filled(), codes: [code] }, pounds);
    expect(answer.appliedDiscounts[0]).to.deep.include({ code: 'TEN', amount: 0 });
  });

  it('adds up in the display currency too, where tax balances the others', () => {
    for (const presentation of [euros, yen]) {
      const answer = basketResponse(id, withCode(filled()), presentation);
      const sum =
        answer.displaySubTotal - answer.displayDiscount + answer.displayTax + answer.displayShipping;
      expect(sum).to.be.closeTo(answer.displayTotal, 1e-9);
    }
    expect(basketResponse(id, filled(), yen)).to.deep.include({
      displaySubTotal: 6596,
      formattedDisplaySubTotal: '¥6,596',
    });
    expect(basketResponse(id, filled(), yen).currency).to.equal('GBP');
  });

  it('shows free shipping as taking off what shipping is shown to cost, with tax', () => {
    const free = ruleNamed('POST', { category: 'FreeShipping', valueType: 'Free', value: 0 });
    const shippingTax = { mode: 'FixedRate', rate: 5 } as const;
    const wanted = { codes: [codeOf(free)], shipping: 600, shippingOptions: ['so:parcel'] };
    const prices = pricesOf(shop.offers, [free], { shippingTax });
    const view = filled();
    const { pricing } = priceBasket({ lines: view.lines, ...wanted }, prices);
    const applied = checkoutEvents.create.DiscountCodeApplied({ ...codeOf(free), pricing });
    const answer = basketResponse(id, changedBasket(view, applied), poundsWithTax);
    expect(answer).to.include({ taxInclusiveDisplayShipping: 6.3, taxInclusiveDisplayDiscount: 6.3 });
    expect(answer.appliedDiscounts[0]).to.include({ amount: 6.3 });
    expect(answer.taxInclusiveDisplaySubTotal).to.equal(answer.displayTotal);
  });

  it('shows prices with tax if the shop does', () => {
    const answer = basketResponse(id, withCode(filled()), poundsWithTax);
    expect(answer.lineItems[0]).to.deep.include({
      unitPrice: 12.5,
      displayUnitPrice: 15,
      displayLineTotal: 30,
    });
    expect(answer.taxIncludedMessage).to.equal(`Including ${answer.formattedDisplayTax} in taxes`);
    const shown =
      answer.taxInclusiveDisplaySubTotal -
      answer.taxInclusiveDisplayDiscount +
      answer.taxInclusiveDisplayShipping;
    expect(shown).to.be.closeTo(answer.displayTotal, 1e-9);
    const plain = basketResponse(id, filled(), pounds);
    expect(plain.taxInclusiveDisplaySubTotal).to.equal(plain.displaySubTotal);
  });

  it('carries the basket twice after a change', () => {
    const answer = basketResponse(id, filled(), pounds);
    const body: unknown = JSON.parse(basketMutationText('Say "hi"', answer));
    expect(body).to.deep.equal({ success: true, message: 'Say "hi"', ...answer, basket: answer });
    expect(basketMutationResponse.parse(body)).to.deep.equal(body);
    const empty = emptyStorefrontBasketResponse(pounds);
    expect(JSON.parse(basketMutationText('', empty))).to.deep.include({
      isEmpty: true,
      lineItems: [],
      total: 0,
    });
  });

  it('sums up for a cart icon, even without a basket', () => {
    expect(basketSummaryResponse(filled(), yen)).to.deep.equal({
      itemCount: 5,
      total: 40.49,
      formattedTotal: '£40.49',
      displayTotal: 7632,
      formattedDisplayTotal: '¥7,632',
    });
    expect(basketSummaryResponse(null, pounds)).to.include({ itemCount: 0, formattedTotal: '£0.00' });
  });
});
