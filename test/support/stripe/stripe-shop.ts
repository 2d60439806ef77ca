import Stripe from 'stripe';
import { sendCallback } from '#test/support/provider-callbacks.ts';
import type { ApiResponse } from '#test/support/browser.ts';
import { TestShop, type TestShopOptions } from '#test/support/shop.ts';
import { startStripeDouble, type StripeDouble } from './stripe-double.ts';
import type { Json } from './stripe-rules.ts';

export const stripeKeys = {
  secretKey: 'sk_test_1',
  publishableKey: 'pk_test_1',
  webhookSecret: 'whsec_1',
};

/** A shop that is paid by Stripe only, as it is set to. */
export const paidByStripe = (stripe: Readonly<Record<string, string>>): TestShopOptions => ({
  config: {
    payments: {
      providers: ['stripe'],
      offered: ['stripe'],
      manualHoldMinutes: null,
      callbacksPerMinute: 60,
      given: { stripe },
    },
  },
});

/** A shop that sells a mug for 10, paid by a double of Stripe's own. */
export const openStripeShop = async () => {
  const double = await startStripeDouble();
  const shop = await TestShop.open(paidByStripe({ ...stripeKeys, apiBaseUrl: double.url }));
  const mug = await shop.sell('mug', { price: 10, stock: 1000 });
  return { double, shop, mug };
};

/** Calls the shop with an event, as Stripe would. */
export const tellShop = ({ shop, tester }: TestShop, event: Json): Promise<ApiResponse> => {
  const payload = JSON.stringify(event);
  const timestamp = Math.floor(shop.runtime.clock.now() / 1000);
  const secret = stripeKeys.webhookSecret;
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
  return sendCallback(tester, tester, payload, { 'Stripe-Signature': signature }, 'stripe');
};

/** The last event of this type that the double would call the shop with. */
export const lastEvent = ({ events }: StripeDouble, type: string): Json => {
  const event = events.findLast((one) => one['type'] === type);
  if (!event) throw new Error(`there is no ${type}`);
  return event;
};
