import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isEmail } from '#values/email-address.ts';
import { capturedInput } from './captured-input.ts';
import type { GivenAddresses } from '../check-address.ts';
import { knownEmail } from './capture.decider.ts';
import { change, findBasket, type CheckoutDeps, type FoundBasket } from '../found-basket.ts';

/** Before the e-mail address is in the log: it must not stand under a key that forgetting its customer leaves alone. */
const customerOf = async (
  { apis }: CheckoutDeps,
  { basket }: FoundBasket,
  email: string | null,
  meta: CommandMeta,
): Promise<string | null> =>
  email === null || email === knownEmail(basket) ? null : apis.customers.idFor(email, stepMeta(meta));

/** What shoppers have typed before they send it. Errors: Rejection `basket-not-found`, `order-being-placed`. */
export const captureActions = (deps: CheckoutDeps) => ({
  /** Errors: `invalid-address` too. */
  captureEmail: async (basketId: string | null, given: string | null | undefined, meta: CommandMeta) => {
    const email = given?.trim() ?? '';
    if (!isEmail(email)) {
      const message = 'email: must be an e-mail address.';
      throw new Rejection('invalid-address', message, {
        errors: { email: 'This is not an e-mail address.' },
      });
    }
    const found = await findBasket(deps, basketId);
    const customerId = await customerOf(deps, found, email, meta);
    return change(deps, found, { type: 'CaptureEmail', email, customerId }, meta);
  },

  captureAddress: async (basketId: string | null, given: GivenAddresses, meta: CommandMeta) => {
    const found = await findBasket(deps, basketId);
    const input = capturedInput(given);
    const customerId = await customerOf(deps, found, input.email, meta);
    return change(deps, found, { type: 'CaptureAddress', ...input, customerId }, meta);
  },
});
