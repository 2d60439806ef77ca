import type Stripe from 'stripe';
import { derivedId } from '#kernel/ids.ts';
import type { PaymentVault, VaultConfirmOutcome, VaultCustomer } from '#ports/payment-requests.ts';
import type { StripeSettings } from './stripe-client.ts';
import { actionOf, isMissing, notDone, scriptConfig, sessionOf, vaultedMethod } from './stripe-outcomes.ts';

/** A client and what it is set to. */
export interface StripeAccount {
  readonly client: Stripe;
  readonly settings: StripeSettings;
}

const idOf = (reference: string | { readonly id: string } | null): string | null =>
  typeof reference === 'string' ? reference : (reference?.id ?? null);

/** The customer at Stripe, made once a key. */
export const customerAt = async (
  { client }: StripeAccount,
  { providerCustomerId, customerId, email, name }: VaultCustomer,
  key: string,
): Promise<string> => {
  if (providerCustomerId !== null) return providerCustomerId;
  const made = await client.customers.create(
    { email, name, metadata: { customerId } },
    // A customer who has another name or address by now is asked for under another key.
    { idempotencyKey: `${key}-customer-${derivedId('customer', email, name)}` },
  );
  return made.id;
};

/** What Stripe is told of a method that is to be kept. */
export const vaultOptions = async (
  account: StripeAccount,
  saveFor: VaultCustomer | null | undefined,
  key: string,
) =>
  saveFor
    ? { customer: await customerAt(account, saveFor, key), setup_future_usage: 'off_session' as const }
    : {};

/** What a set-up has come to, for the customer that it was begun for. */
const outcomeOf = (
  intent: Stripe.SetupIntent,
  providerCustomerId: string | null,
  settings: StripeSettings,
): VaultConfirmOutcome => {
  const { payment_method: method, status, last_setup_error: failure } = intent;
  const customerId = idOf(intent.customer);
  const refused = (code: string, message: string) => ({ kind: 'refused', code, message }) as const;
  if (providerCustomerId !== null && providerCustomerId !== customerId)
    return refused('other_customer', 'The session was set up for another customer.');
  if (status === 'requires_action') return { kind: 'requiresAction', session: actionOf(intent, settings) };
  if (status !== 'succeeded' || method === null || typeof method === 'string')
    return refused(failure?.code ?? status, failure?.message ?? 'The payment method could not be saved.');
  // What its owner has removed since is no customer's any more, however late somebody tells of the set-up.
  if (idOf(method.customer) !== customerId)
    return refused('method_removed', 'The payment method has been removed.');
  return { kind: 'saved', method: vaultedMethod(method, customerId) };
};

/** Ways to pay that Stripe keeps, by set-up intents. */
export const stripeVault = (account: () => StripeAccount): PaymentVault => ({
  requiresProviderCustomerId: true,
  setUp: async ({ idempotencyKey, customer, returnPage: returnUrl }) => {
    try {
      const { client, settings } = account();
      const providerCustomerId = await customerAt(account(), customer, idempotencyKey);
      const intent = await client.setupIntents.create(
        {
          customer: providerCustomerId,
          usage: 'off_session',
          automatic_payment_methods: { enabled: true },
        },
        { idempotencyKey },
      );
      const session = sessionOf(intent, scriptConfig(settings, { mode: 'setup', returnUrl }));
      return { kind: 'started', session: { ...session, providerCustomerId } };
    } catch (error) {
      return notDone(error);
    }
  },
  confirm: async ({ sessionId, token, providerCustomerId, returnPage }) => {
    try {
      const { client, settings } = account();
      const expand = ['payment_method'];
      const found = await client.setupIntents.retrieve(sessionId, { expand });
      // A payer who is at their bank goes on there.
      const isToConfirm = token !== null && !['succeeded', 'requires_action'].includes(found.status);
      const intent = isToConfirm
        ? await client.setupIntents.confirm(sessionId, {
            payment_method: token,
            return_url: returnPage,
            expand,
          })
        : found;
      return outcomeOf(intent, providerCustomerId, settings);
    } catch (error) {
      return notDone(error);
    }
  },
  remove: async ({ providerMethodId }) => {
    try {
      await account().client.paymentMethods.detach(providerMethodId);
    } catch (error) {
      // One that is detached already, or never was attached, is forgotten.
      const failed = notDone(error);
      if (!isMissing(error) && failed.kind !== 'refused') throw error;
    }
  },
});
