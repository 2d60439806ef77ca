import { commandHooks } from '#command/engine/hooks.ts';
import type { BasketCommand } from './basket.commands.ts';
import type { BasketState } from './basket.state.ts';

const lineOf = (state: BasketState, lineId: string) => {
  const line = state.basket?.lines.find((one) => one.lineId === lineId);
  return line ? { productId: line.productId, sku: line.sku, oldQuantity: line.quantity } : {};
};

/** What hooks are asked before a basket changes (docs/guides/hooks.md#notifications). */
export const basketHooks = commandHooks<BasketState, BasketCommand>('basket', {
  AddBasketLine: ({ productId, quantity, addons }, _, basketId) => [
    'BasketItemAddingNotification',
    { basketId, productId, quantity, addons },
  ],
  AddUpsell: ({ productId }, _, basketId) => [
    'BasketItemAddingNotification',
    { basketId, productId, quantity: 1, addons: [] },
  ],
  ChangeBasketLineQuantity: ({ lineId, quantity }, state, basketId) => {
    const about = { basketId, lineId, ...lineOf(state, lineId) };
    return quantity > 0
      ? ['BasketItemQuantityChangingNotification', { ...about, quantity }]
      : ['BasketItemRemovingNotification', about];
  },
  RemoveBasketLine: ({ lineId }, state, basketId) => [
    'BasketItemRemovingNotification',
    { basketId, lineId, ...lineOf(state, lineId) },
  ],
  ChangeBasketCurrency: ({ currency }, { basket }, basketId) => [
    'BasketCurrencyChangingNotification',
    { basketId, currency, oldCurrency: basket?.preferredCurrency ?? null },
  ],
  ClearBasket: (_, __, basketId) => ['BasketClearingNotification', { basketId }],
});
