import type { Sections } from './config-sections.ts';

/** Payments (docs/rules/payments.md#production). */
export interface PaymentsConfig {
  readonly providers: readonly string[];
  /** Providers that shoppers may choose; empty: nothing can be paid. */
  readonly offered: readonly string[];
  /** How long goods are held for a promised manual payment; null: the shopper's word counts as payment. */
  readonly manualHoldMinutes: number | null;
  /** Callbacks per minute from one provider and address; 0: no limit. */
  readonly callbacksPerMinute: number;
  /** Fixed settings of providers, which the backoffice cannot change; by alias and field. */
  readonly given: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const givenIn = (fields: Readonly<Record<string, string | null>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]): [string, string][] =>
      value === null ? [] : [[key, value]],
    ),
  );

/** By default, production gives nothing away: money is really taken, or seen to arrive. */
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

/** Warns of a shop that cannot take payments; null if it can. */
export const paymentWarning = ({ providers, offered }: PaymentsConfig): string | null => {
  if (offered.length > 0) return null;
  return providers.includes('manual')
    ? 'No payment method is set up for shoppers: manual payments are offered in production with Payments.Manual.ForShoppers only.'
    : 'No payment method is set up: name one in Payments.Providers.';
};
