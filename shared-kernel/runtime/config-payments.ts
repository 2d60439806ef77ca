import type { Sections } from './config-sections.ts';

/** What the shop is paid with (docs/rules/payments.md#production). */
export interface PaymentsConfig {
  /** The providers that exist. */
  readonly providers: readonly string[];
  /** Those that shoppers may choose; empty: nothing can be paid. */
  readonly offered: readonly string[];
  /** Goods are held so long for a manual payment that was promised; null: shoppers are believed that they have paid. */
  readonly manualHoldMinutes: number | null;
  /** How many callbacks a provider may send from one address in a minute; 0: any number. */
  readonly callbacksPerMinute: number;
  /** What providers are set to here, which the backoffice cannot change; by alias and field. */
  readonly given: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The fields that have a value. */
const givenIn = (fields: Readonly<Record<string, string | null>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]): [string, string][] =>
      value === null ? [] : [[key, value]],
    ),
  );

/** In production nothing is given away by default: money is taken for real, or seen to arrive. */
export const paymentsOf = (
  { payments }: Pick<Sections, 'payments'>,
  isProduction: boolean,
  problems: string[],
): PaymentsConfig => {
  const { callbacksPerMinute } = payments;
  const common = {
    callbacksPerMinute,
    given: { sandbox: givenIn(payments.sandbox), stripe: givenIn(payments.stripe) },
  };
  if (!isProduction) {
    const providers = payments.providers ?? ['manual', 'sandbox', 'purchaseorder'];
    return { providers, offered: providers, manualHoldMinutes: null, ...common };
  }
  const { providers, allowSandboxInProduction, manual } = payments;
  const existing = providers ?? [];
  if (existing.includes('sandbox') && !allowSandboxInProduction) {
    problems.push(
      'Payments.Providers: sandbox takes no money and is refused when NODE_ENV=production; ' +
        'a shop that sells nothing sets Payments.AllowSandboxInProduction',
    );
  }
  const offered = existing.filter((alias) => alias !== 'manual' || manual.forShoppers);
  return { providers: existing, offered, manualHoldMinutes: manual.holdMinutes, ...common };
};

/** What an operator should know of a shop that cannot take payments; null when it can. */
export const paymentWarning = ({ providers, offered }: PaymentsConfig): string | null => {
  if (offered.length > 0) return null;
  return providers.includes('manual')
    ? 'No payment method is set up for shoppers: manual payments are offered in production with Payments.Manual.ForShoppers only.'
    : 'No payment method is set up: name one in Payments.Providers.';
};
