import { defined } from '#kernel/defined.ts';
import { derivedId } from '#kernel/ids.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';
import type { StartRequest } from '#ports/payment-requests.ts';
import { refuseAmount, toStripe } from './stripe-amounts.ts';
import type { StripeSettings } from './stripe-client.ts';
import { isAskedOtherwise, notDone, scriptConfig, sessionOf } from './stripe-outcomes.ts';
import { vaultOptions, type StripeAccount } from './stripe-vault.ts';

const metadataOf = ({ invoiceId, basketId }: StartRequest): Record<string, string> => ({
  ...(invoiceId !== null && { invoiceId }),
  ...(basketId !== null && { basketId }),
});

/** https://docs.stripe.com/payments/place-a-hold-on-a-payment-method */
export const captureMethod = ({ isCapturedLater }: Pick<StripeSettings, 'isCapturedLater'>) =>
  isCapturedLater ? { capture_method: 'manual' as const } : {};

/** A page of Stripe's own. */
const startPage = async (account: StripeAccount, request: StartRequest, idempotencyKey: string) => {
  const { amountMinor, currency, returnPage, cancelPage, description, saveFor } = request;
  const metadata = metadataOf(request);
  const { customer, ...kept } = await vaultOptions(account, saveFor, request.idempotencyKey);
  const session = await account.client.checkout.sessions.create(
    {
      mode: 'payment',
      line_items: [
        {
          quantity: 1,
          price_data: {
            currency: currency.toLowerCase(),
            unit_amount: toStripe(amountMinor, currency),
            product_data: { name: description },
          },
        },
      ],
      success_url: `${returnPage}${returnPage.includes('?') ? '&' : '?'}sessionId={CHECKOUT_SESSION_ID}`,
      cancel_url: cancelPage,
      metadata,
      ...defined({ customer }),
      payment_intent_data: { metadata, ...kept, ...captureMethod(account.settings) },
    },
    { idempotencyKey },
  );
  const { id: sessionId, url: redirectUrl } = session;
  const sdkConfig = scriptConfig(account.settings);
  return { sessionId, redirectUrl, clientSecret: null, clientToken: null, sdkConfig };
};

/** A form of Stripe's before there is an intent (https://docs.stripe.com/js/elements_object/create_without_intent). */
export const elementOf = (
  { isCapturedLater }: Pick<StripeSettings, 'isCapturedLater'>,
  { amountMinor, currency }: Pick<StartRequest, 'amountMinor' | 'currency'>,
) => ({
  mode: 'payment',
  amount: toStripe(amountMinor, currency),
  currency: currency.toLowerCase(),
  // As its intent will be asked for.
  ...(isCapturedLater && { captureMethod: 'manual' as const }),
});

/** With these a form of Stripe's is made and confirmed (https://docs.stripe.com/js/payment_intents/confirm_payment). */
const elementFor = (settings: Pick<StripeSettings, 'isCapturedLater'>, request: StartRequest) => ({
  ...elementOf(settings, request),
  returnUrl: request.returnPage,
});

const startIntent = async (account: StripeAccount, request: StartRequest, idempotencyKey: string) => {
  const { amountMinor, currency, description, saveFor } = request;
  const intent = await account.client.paymentIntents.create(
    {
      amount: toStripe(amountMinor, currency),
      currency: currency.toLowerCase(),
      description,
      metadata: metadataOf(request),
      automatic_payment_methods: { enabled: true },
      ...captureMethod(account.settings),
      ...(await vaultOptions(account, saveFor, request.idempotencyKey)),
    },
    { idempotencyKey },
  );
  return sessionOf(intent, scriptConfig(account.settings, elementFor(account.settings, request)));
};

/** Sessions at Stripe: its own page, or an intent for a form. */
export const start =
  (account: () => StripeAccount): NonNullable<PaymentProvider['start']> =>
  async (request) => {
    const { idempotencyKey, methodAlias, amountMinor, currency } = request;
    const refused = refuseAmount(amountMinor, currency);
    if (refused) return refused;
    const begin = methodAlias === 'checkout' ? startPage : startIntent;
    try {
      const session = await begin(account(), request, idempotencyKey).catch((error: unknown) => {
        if (!isAskedOtherwise(error)) throw error;
        // The session asked for in other words was never used: another one does no harm.
        const other = derivedId('asked otherwise', JSON.stringify(request));
        return begin(account(), request, other);
      });
      return { kind: 'started', session };
    } catch (error) {
      return notDone(error);
    }
  };
