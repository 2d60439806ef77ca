import type { PaymentProvider } from '#ports/payment-provider.ts';
import { notDone } from './stripe-outcomes.ts';
import type { StripeAccount } from './stripe-vault.ts';

type Validated = Awaited<ReturnType<NonNullable<PaymentProvider['validateWallet']>>>;

const refused = (code: string, message: string): Validated => ({ kind: 'refused', code, message });

/**
 * Stripe's script is Apple's merchant itself, on domains that the owner has registered there
 * (https://docs.stripe.com/payments/payment-methods/pmd-registration): whether this one is.
 */
export const validateWallet =
  (account: () => StripeAccount): NonNullable<PaymentProvider['validateWallet']> =>
  async ({ domain: domainName, displayName }) => {
    try {
      const asked = { domain_name: domainName, enabled: true, limit: 1 };
      const { data } = await account().client.paymentMethodDomains.list(asked);
      const [known] = data;
      if (!known)
        return refused('domain_not_registered', `Register ${domainName} at Stripe as a domain of wallets.`);
      const { apple_pay: apple, google_pay: google } = known;
      if (apple.status !== 'active')
        return refused(
          'domain_not_active',
          `Stripe does not offer Apple Pay at ${domainName}: ${apple.status_details?.error_message ?? 'inactive'}`,
        );
      return {
        kind: 'session',
        session: { domainName, displayName, applePay: 'active', googlePay: google.status },
      };
    } catch (error) {
      return notDone(error);
    }
  };
