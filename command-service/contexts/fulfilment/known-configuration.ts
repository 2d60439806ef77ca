import {
  fulfilmentProviderConfiguration,
  type FulfilmentProviderConfiguration,
} from '#entities/fulfilment-provider-configuration.entity.ts';
import { notFound } from '#kernel/entity.ts';
import type { FulfilmentProvider } from '#ports/fulfilment-provider.ts';
import type { Reference } from '#reference/reference.ts';

/** A configured provider, and its adapter. */
export interface SetUpProvider {
  readonly configurationId: string;
  readonly settings: FulfilmentProviderConfiguration;
  readonly provider: FulfilmentProvider;
}

export interface KnownConfigurations {
  find(configurationId: string): SetUpProvider | undefined;
  /** Errors: Rejection `entity-not-found`. */
  get(configurationId: string): SetUpProvider;
  /** Those that a callback's key (lower case) may mean: one by its id, or all of a kind, active or not. */
  named(key: string): readonly SetUpProvider[];
  all(): readonly SetUpProvider[];
}

export const createKnownConfigurations = ({
  reference: { entities },
  fulfilmentProviders,
}: {
  readonly reference: Pick<Reference, 'entities'>;
  readonly fulfilmentProviders: readonly FulfilmentProvider[];
}): KnownConfigurations => {
  const { category, noun } = fulfilmentProviderConfiguration;
  const setUp = (configurationId: string, fields: object): readonly SetUpProvider[] => {
    const settings = fields as FulfilmentProviderConfiguration;
    const provider = fulfilmentProviders.find(({ description }) => description.key === settings.providerKey);
    return provider ? [{ configurationId, settings, provider }] : [];
  };
  const find = (configurationId: string): SetUpProvider | undefined => {
    const fields = entities.find(category, configurationId);
    return fields && setUp(configurationId, fields)[0];
  };
  const all = (): readonly SetUpProvider[] =>
    [...entities.all(category)].flatMap(([id, fields]) => setUp(id, fields));
  return {
    find,
    all,
    get: (configurationId) => {
      const found = find(configurationId);
      if (!found) throw notFound(noun);
      return found;
    },
    named: (key) => {
      const one = find(key);
      return one ? [one] : all().filter(({ settings }) => settings.providerKey === key);
    },
  };
};
