import { createEntityActions } from '#command/engine/entity.actions.ts';
import { rulesFor, type EntityRules } from '#command/engine/entity-rules.ts';
import type { CommandModule } from '#command/engine/module.ts';
import { shippingOption } from '#entities/shipping-option.entity.ts';
import { shippingProvider, type ShippingProvider } from '#entities/shipping-provider.entity.ts';
import type { Reference } from '#reference/reference.ts';
import { createCarriers } from './ask-carriers.ts';
import { shippingOptionRules } from './shipping-option.rules.ts';
import { shippingProviderRoutes } from './shipping-provider.routes.ts';
import { shippingProviderRules } from './shipping-provider.rules.ts';

/** The warehouses and options that a carrier would be missing from. */
const usersOf = (id: string, { shipping: kept, entities }: Reference): readonly string[] => {
  const key = entities.find(shippingProvider.category, id)?.['providerKey'];
  const warehouses = kept.warehouses();
  return [
    ...warehouses
      .filter(({ providerConfigs }) => providerConfigs.some(({ providerKey }) => providerKey === key))
      .map(({ name }) => `the warehouse ${name}`),
    ...warehouses
      .flatMap((warehouse) => kept.optionsOf(warehouse.id))
      .filter(({ providerKey }) => providerKey === key)
      .map(({ name }) => `the shipping option ${name}`),
  ];
};

const providerRules: EntityRules<ShippingProvider> = {
  rules: shippingProviderRules,
  dependents: (id, { reference }) => usersOf(id, reference),
};

export const shipping: CommandModule = {
  name: 'shipping',
  entityRules: [
    rulesFor(shippingOption, { rules: shippingOptionRules }),
    rulesFor(shippingProvider, providerRules),
  ],
  create: (deps) => {
    const { carriers: providers, clock, settings, log, reference } = deps;
    const currency = (): string => settings().storeCurrencyCode;
    const actions = createEntityActions(shippingProvider, providerRules, deps, { currency });
    const carriers = createCarriers({ providers, clock, settings, log });
    return {
      routes: shippingProviderRoutes({
        actions,
        reference,
        test: (question) => carriers.ratesFor([{ groupId: '', questions: [question] }], question.origin),
      }),
      actions: { shipping: carriers },
    };
  },
};
