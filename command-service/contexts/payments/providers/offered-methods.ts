import type { OfferedMethod } from '#contracts/checkout.contract.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { PaymentMethodInfo, PaymentProvider } from '#ports/payment-provider.ts';

/** The provider that a request names. Errors: Rejection `no-payment-method` where shoppers are offered none. */
export const providerOf = (providers: readonly PaymentProvider[], alias: string): PaymentProvider => {
  if (providers.length === 0) throw new Rejection('no-payment-method', 'No payment method is set up.');
  const provider = providers.find((offered) => offered.alias === alias);
  if (!provider) {
    const offered = providers.map((one) => one.alias).join(', ');
    throw new Rejection(
      'invalid-request',
      `providerAlias: must be one of the offered providers (${offered}).`,
    );
  }
  return provider;
};

/** A provider's method; its first one when none is named. */
export const methodOf = (provider: PaymentProvider, alias: string | null | undefined): PaymentMethodInfo => {
  const method = provider.methods.find((offered) => !alias || offered.methodAlias === alias);
  if (!method) {
    const offered = provider.methods.map(({ methodAlias }) => methodAlias).join(', ');
    throw new Rejection('invalid-request', `methodAlias: must be one of ${offered}.`);
  }
  return method;
};

const listed = (provider: PaymentProvider, method: PaymentMethodInfo, sortOrder: number): OfferedMethod => ({
  alias: provider.alias,
  providerAlias: provider.alias,
  displayName: method.displayName,
  methodAlias: method.methodAlias,
  iconHtml: method.iconHtml,
  icon: null,
  description: method.description,
  integrationType: method.integration,
  supportsVaulting: provider.vault !== undefined,
  isExpressCheckout: method.isExpress,
  methodType: method.methodType,
  sortOrder,
});

/** The ways to pay, in the order in which they are offered: those of the till, or those of wallets. */
export const listMethods = (providers: readonly PaymentProvider[], isExpress = false): OfferedMethod[] =>
  providers
    .flatMap((provider) => provider.methods.map((method) => ({ provider, method })))
    .filter(({ method }) => method.isExpress === isExpress)
    .map(({ provider, method }, index) => listed(provider, method, index));

/** The wallets that are offered, with what a page needs to show them. */
export const expressMethods = (
  providers: readonly PaymentProvider[],
): readonly { readonly provider: PaymentProvider; readonly method: PaymentMethodInfo }[] =>
  providers.flatMap((provider) =>
    provider.methods.filter(({ isExpress }) => isExpress).map((method) => ({ provider, method })),
  );

/** A provider's wallet; its first one when none is named. */
export const expressMethodOf = (
  provider: PaymentProvider,
  alias: string | null | undefined,
): PaymentMethodInfo => {
  const wallets = provider.methods.filter(({ isExpress }) => isExpress);
  const method = wallets.find(({ methodAlias }) => !alias || methodAlias === alias);
  if (method) return method;
  const offered = wallets.map(({ methodAlias }) => methodAlias).join(', ') || 'none';
  throw new Rejection('invalid-request', `methodAlias: must be a wallet of the provider (${offered}).`);
};
