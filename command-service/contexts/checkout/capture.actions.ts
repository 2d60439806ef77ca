import type { CommandMeta } from '#command/engine/command-engine.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isEmail } from '#values/email-address.ts';
import { capturedInput } from './captured-input.ts';
import type { GivenAddresses } from './check-address.ts';
import { change, findBasket, type CheckoutDeps } from './found-basket.ts';

/** What shoppers have typed before they send it. Errors: Rejection `basket-not-found`, `order-being-placed`. */
export const captureActions = (deps: CheckoutDeps) => ({
  /** Errors: `invalid-address` too. */
  captureEmail: async (basketId: string | null, given: string | null | undefined, meta: CommandMeta) => {
    const email = given?.trim() ?? '';
    if (!isEmail(email)) {
      const message = 'email: an e-mail address was expected.';
      throw new Rejection('invalid-address', message, {
        errors: { email: 'This is not an e-mail address.' },
      });
    }
    const found = await findBasket(deps, basketId);
    return change(deps, found, { type: 'CaptureEmail', email }, meta);
  },

  captureAddress: async (basketId: string | null, given: GivenAddresses, meta: CommandMeta) => {
    const found = await findBasket(deps, basketId);
    return change(deps, found, { type: 'CaptureAddress', ...capturedInput(given) }, meta);
  },
});
