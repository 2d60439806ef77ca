import type { ModuleDeps } from '#command/engine/module.ts';
import { createBasketCookies } from '#http/basket-cookie.ts';
import type { Route } from '#http/route.ts';
import { createMailPreferences } from '#runtime/mail-preferences.ts';
import { createRecoveryLinks } from '#runtime/recovery-links.ts';
import { createUnsubscribeTokens } from '#runtime/unsubscribe-tokens.ts';
import type { AbandonedCheckoutsApi } from './abandoned-checkout.commands.ts';
import type { CheckoutsInProgress } from './checkouts-in-progress.ts';
import type { Recovery } from './recovery/recover.actions.ts';
import { recoverRoutes } from './recovery/recover.routes.ts';
import { createRecoveryDesk } from './recovery/recovery-desk.actions.ts';
import { recoveryDeskRoutes } from './recovery/recovery-desk.routes.ts';
import { recoveryPageRoutes } from './recovery/recovery-pages.routes.ts';
import { createUnsubscribing } from './unsubscribing/unsubscribe.actions.ts';
import { unsubscribeRoutes } from './unsubscribing/unsubscribe.routes.ts';

const MINUTE_SECONDS = 60;

interface WinningBack {
  readonly inProgress: CheckoutsInProgress;
  readonly review: AbandonedCheckoutsApi['review'];
  readonly recovery: Recovery;
}

/** How shoppers come back, staff have them reminded, and readers of the mails end these. */
export const winningBackRoutes = (
  deps: ModuleDeps,
  { inProgress, review, recovery }: WinningBack,
): readonly Route[] => {
  const { settings, limits, store, reference } = deps;
  const { applicationKey } = deps.keys;
  const opening = {
    ...deps,
    recovery,
    baskets: createBasketCookies(applicationKey),
    openings: limits.perWindow('recovery links', MINUTE_SECONDS),
  };
  const preferences = createMailPreferences(store, applicationKey);
  const links = createRecoveryLinks(applicationKey, {
    recoveryUrlBase: () => settings()['abandonedCheckout.recoveryUrlBase'],
    websiteUrl: () => settings().websiteUrl,
  });
  return [
    ...recoverRoutes(opening),
    ...recoveryPageRoutes(opening),
    ...recoveryDeskRoutes({
      desk: createRecoveryDesk({ ...deps, preferences, review, inProgress }),
      links,
      isMailed: (kind) => reference.mails.enabledFor(`checkout.abandoned.${kind}`).length > 0,
    }),
    ...unsubscribeRoutes(createUnsubscribing({ ...deps, tokens: createUnsubscribeTokens(applicationKey) })),
  ];
};
