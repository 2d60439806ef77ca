import type { PaymentProvider } from '#ports/payment-provider.ts';
import type { PaymentsForNeighbours } from './payment.commands.ts';
import { checkPages } from './return-pages.ts';

/** What saved methods ask of payments. */
export const vaultsOf = (
  offered: readonly PaymentProvider[],
  providerNamed: (alias: string) => PaymentProvider | undefined,
  { own, allowed }: { readonly own: string | null; readonly allowed: readonly string[] },
): Pick<PaymentsForNeighbours, 'vaultProviders' | 'providerNamed' | 'checkPages'> => ({
  vaultProviders: () => offered.filter(({ vault }) => vault !== undefined),
  providerNamed,
  checkPages: (pages, baseUrl) => checkPages(pages, { own: own ?? baseUrl, allowed }),
});
