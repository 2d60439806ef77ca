import { expect } from 'chai';
import { upsellEventsCollection } from '#contracts/upsell-events.contract.ts';
import { get, manage, post } from '#test/support/requests.ts';
import { useMortalShop } from '#test/support/mortal-shop.ts';

const suggestions = '/api/shop/storefront/upsells';

// docs/rules/upsell-performance.md#events
describe('Impressions and clicks of a shop that is killed', () => {
  const at = useMortalShop();

  for (const when of ['before', 'after'] as const)
    it(`${when} it writes the last of them are all there but those, and convert`, async () => {
      const { shop } = at;
      const mug = await shop.sell('MUG', { price: 20 });
      const cup = await shop.sell('CUP', { price: 12.5 });
      const { body: rule } = await shop.admin.ask(
        manage.post('/upsells', {
          ...{ name: 'cups', heading: 'Goes well with it', status: 'Active' },
          triggerRules: [{ triggerType: 'SpecificProducts', triggerIds: [mug] }],
          recommendationRules: [{ recommendationType: 'SpecificProducts', ids: [cup] }],
        }),
      );
      await shop.settle();
      const upsellRuleId = rule.id as string;
      const clicked = { upsellRuleId, displayLocation: 'Basket', productId: cup, eventType: 'Click' };
      const click = () => shopper.ask(post(`${suggestions}/events`, { events: [clicked] }));
      const shopper = shop.shopper();
      await shopper.add(mug);
      expect((await shopper.ask(get(suggestions))).body).to.have.length(1);
      await click();
      await shop.settle();

      await shop.live({ when, rowIn: upsellEventsCollection });
      await shop.dieAfter(click());
      await shop.live();
      await click();
      await shopper.add(cup);
      await shopper.giveAddress('ada@example.com');
      await shopper.initialize();
      await shopper.payWith((await shopper.pay()).body.invoiceId as string);
      await shop.settle();
      const { body } = await shop.admin.ask(manage.get(`/upsells/${upsellRuleId}/performance`));
      const all = { totalImpressions: 1, totalClicks: 2, totalConversions: 1, totalRevenue: 12.5 };
      expect(body).to.deep.include(all);
      expect(await shop.soundSales()).to.equal(1);
    });
});
