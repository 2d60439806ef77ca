import { commandHooks } from '#command/engine/hooks.ts';
import type { BasketState } from '../basket/basket.state.ts';
import type { CheckoutCommand } from './checkout.commands.ts';

/**
 * What hooks are asked before checkout changes a basket and makes an order of it
 * (docs/guides/hooks.md#notifications).
 */
export const checkoutHooks = commandHooks<BasketState, CheckoutCommand>('basket', {
  ChangeAddresses: ({ type: _, ...addresses }, __, basketId) => [
    'CheckoutAddressesChangingNotification',
    { basketId, ...addresses },
  ],
  SelectShipping: ({ destination, choices }, { basket }, basketId) => [
    'CheckoutShippingSelectionChangingNotification',
    { basketId, destination: destination ?? basket?.destination ?? null, choices },
  ],
  ApplyDiscountCode: ({ discountId, code }, _, basketId) => [
    'CheckoutDiscountCodeApplyingNotification',
    { basketId, discountId, code },
  ],
  // Nothing that can be refused comes after the number: an order is objected to before its placement begins.
  StartPlacement: ({ invoiceId }, { basket }, basketId) => {
    const {
      emailCustomerId: customerId,
      email,
      lines,
      totals,
      currency,
      choices,
      billingAddress,
      shippingAddress,
    } = basket ?? {};
    const about = { basketId, invoiceId, customerId, email, currency, lines, totals };
    const order = { ...about, billingAddress, shippingAddress };
    return [
      ['InvoiceSavingNotification', order],
      ['OrderGroupingModifyingNotification', { basketId, invoiceId, lines, groups: choices }],
      ['OrderCreatingNotification', order],
      ['OrderSavingNotification', order],
    ];
  },
});
