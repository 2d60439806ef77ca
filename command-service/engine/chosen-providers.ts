import { Rejection } from '#kernel/rejection.ts';
import type { ProviderField } from '#values/exchange-rate-providers.ts';

interface Choosable {
  readonly alias: string;
  readonly fields: readonly ProviderField[];
}

/** Providers of a kind, of which one is asked. */
interface ChosenProviders<Provider extends Choosable, InShop> {
  readonly providers: readonly Provider[];
  /** As in "There is no such …". */
  readonly noun: string;
  /** The setting that may name the one, and whom it names; null: the backoffice chooses. */
  readonly setting: string;
  readonly named: string | null;
  /** As the backoffice sees it. */
  readonly inShop: (provider: Provider) => InShop;
}

/** What is alike for all of them. Errors: Rejection `entity-not-found`, `setting-fixed`. */
export const chosenProviders = <Provider extends Choosable, InShop>({
  providers,
  noun,
  setting,
  named,
  inShop,
}: ChosenProviders<Provider, InShop>) => {
  const find = (alias: string): Provider => {
    const provider = providers.find((one) => one.alias === alias.toLowerCase());
    if (!provider) throw new Rejection('entity-not-found', `There is no such ${noun}.`);
    return provider;
  };
  return {
    find,
    /** What the configuration says is not for the backoffice to choose. */
    refuseFixed: (alias: string): void => {
      if (named === null || named === alias) return;
      throw new Rejection('setting-fixed', `${setting}: the configuration names ${named}. Change it there.`);
    },
    list: (): readonly InShop[] => providers.map(inShop),
    fields: (alias: string): readonly ProviderField[] => find(alias).fields,
  };
};
