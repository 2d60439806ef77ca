import type { PaymentProvider } from '#ports/payment-provider.ts';

/** The providers of these names, in their order. Errors: `Error` for a name that nobody has. */
export const configuredProviders = (
  known: readonly PaymentProvider[],
  aliases: readonly string[],
): readonly PaymentProvider[] =>
  aliases.map((alias) => {
    const provider = known.find((one) => one.alias === alias);
    if (provider) return provider;
    const names = known.map((one) => one.alias).join(', ');
    throw new Error(`Payments.Providers names ${alias}; this shop knows ${names}`);
  });
