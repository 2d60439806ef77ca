import { commandHooks } from '#command/engine/hooks.ts';
import type { SavedMethodCommand } from './saved-method.commands.ts';
import type { SavedMethods } from './saved-methods.state.ts';

/** What hooks are asked: never with what a method is at its provider (docs/guides/hooks.md#notifications). */
export const savedMethodHooks = commandHooks<SavedMethods, SavedMethodCommand>('savedMethods', {
  SavePaymentMethod: ({ methodId: id, provider, setAsDefault }, _, customerId) => [
    'SavedPaymentMethodCreatingNotification',
    { id, customerId, provider, setAsDefault },
  ],
  RemovePaymentMethod: ({ methodId: id }, _, customerId) => [
    'SavedPaymentMethodDeletingNotification',
    { id, customerId },
  ],
});
