import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { Rejection } from '#kernel/rejection.ts';
import { currencyFor, displayRate, hasRates } from '#reference/presentation.ts';
import { basketLinesStream } from '../basket/basket.stream.ts';
import type { ChangedCheckout } from './found-basket.ts';

/**
 * The currency of the country that a checkout goes to, for a shopper who has never chosen one; null where it stays as
 * it is (docs/rules/currency.md#whose). The basket notes it. What stands in the way is no reason to refuse a checkout.
 */
export const followCountry =
  (deps: CommandDeps) =>
  async (
    { basketId, basket }: Pick<ChangedCheckout, 'basketId' | 'basket'>,
    countryCode: string,
    wanted: string | undefined,
    meta: CommandMeta,
  ): Promise<string | null> => {
    if (wanted !== undefined || !hasRates(deps)) return null;
    const currency = currencyFor(deps, countryCode);
    if (displayRate(deps, currency) === null) return null;
    if (currency === basket.preferredCurrency) return currency;
    const command = { type: 'ChangeBasketCurrency', currency, destination: null } as const;
    try {
      await deps.streams.send(basketLinesStream, basketId, command, stepMeta(meta));
      return currency;
    } catch (error) {
      if (error instanceof Rejection) return null;
      throw error;
    }
  };
