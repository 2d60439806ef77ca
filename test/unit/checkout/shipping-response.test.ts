import { expect } from 'chai';
import { shippingResponse } from '#command/contexts/checkout/checkout.response.ts';
import { priceBasket } from '#command/pricing/price-basket.ts';
import { planShipping } from '#command/pricing/shipping-plan.ts';
import { basketResponse } from '#contracts/basket-response.ts';
import { basketEvents } from '#events/basket.events.ts';
import { changedBasket, startedBasket } from '#events/basket-view.ts';
import { addonNamed, chosen, offersWith, unitsWith } from '#test/support/builders/addon.ts';
import { idNamed, london, pricesOf } from '#test/support/builders/basket.ts';
import { warehousesWith } from '#test/support/builders/warehouses.ts';

describe('the groups of a line that ships from three warehouses', () => {
  const gold = chosen('Add-on', '0');
  const options = [addonNamed('Add-on', { 0: 111 })];
  const shop = warehousesWith(
    { east: { options: { post: {} } }, west: { options: { van: {} } }, north: { options: { boat: {} } } },
    { mug: { price: 333, options, stock: { east: 1, west: 2, north: 4 } } },
  );
  const offers = new Map(offersWith('mug', 333, [111]));
  const lines = [unitsWith('mug', 7, [gold])];
  const { pricing } = priceBasket({ lines, codes: [], shipping: 0 }, pricesOf({}, [], { offers }));
  const basket = changedBasket(
    { ...startedBasket('GBP', london), lines, itemCount: 7 },
    basketEvents.create.BasketRepriced({ destination: london, pricing }),
  );

  for (const rate of ['1', '0.915', '1.0049', '188.53'])
    it(`shows parts that sum to the line and its add-on, at a rate of ${rate}`, () => {
      const display = { currency: rate === '188.53' ? 'JPY' : 'EUR', rate };
      const presentation = { storeCurrency: 'GBP', display, displayPricesIncTax: false };
      const plan = planShipping(shop, basket, { holds: [] });
      const { shippingGroups } = shippingResponse(plan, basket, { taxRate: 0, presentation, now: 0 });
      const parts = shippingGroups.flatMap(({ lineItems }) => lineItems);
      expect(parts.map(({ quantity }) => quantity)).to.deep.equal([1, 1, 2, 2, 4, 4]);
      const shown = basketResponse(idNamed('basket'), basket, presentation).lineItems;
      for (const { id, displayLineTotal } of shown) {
        const own = parts.filter((part) => part.id === id);
        expect(own.reduce((sum, { amount }) => sum + amount, 0)).to.be.closeTo(displayLineTotal, 1e-9);
      }
    });
});
