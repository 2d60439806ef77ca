import type { PaymentsApi } from '../../invoices/payments/payment.commands.ts';
import { checkPages, stillAllowed } from '../sessions/return-pages.ts';
import type { ShopProviders } from './shop-providers.ts';

/** What saved methods ask of payments. */
export const vaultsOf = (
  { offered, ever: providerNamed }: Pick<ShopProviders, 'offered' | 'ever'>,
  { own, allowed }: { readonly own: string | null; readonly allowed: readonly string[] },
): Pick<
  PaymentsApi,
  'offeredProviders' | 'vaultProviders' | 'providerNamed' | 'checkPages' | 'allowedPage' | 'ownAddress'
> => ({
  offeredProviders: offered,
  vaultProviders: () => offered().filter(({ vault }) => vault !== undefined),
  providerNamed,
  checkPages: (pages) => checkPages(pages, { own, allowed }),
  allowedPage: (page) => stillAllowed(page, { own, allowed }),
  ownAddress: own,
});
