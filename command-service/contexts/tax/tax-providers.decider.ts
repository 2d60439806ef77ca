import { taxProviderEvents, type TaxProviderEvent } from '#events/tax.events.ts';
import type { Decider } from '#kernel/decider.ts';
import { isSameJson } from '#kernel/same-json.ts';
import type { TaxConfiguration } from '#ports/tax-provider.ts';
import type { TaxProviderCommand } from './tax.commands.ts';

export interface TaxProvidersState {
  readonly provider: string | null;
  readonly configurations: Readonly<Record<string, TaxConfiguration>>;
}

const { TaxProviderActivated, TaxProviderConfigured } = taxProviderEvents.create;

/** Who says what tax is due, and what they are set to. */
export const taxProvidersDecider: Decider<TaxProvidersState, TaxProviderCommand, TaxProviderEvent> = {
  category: 'taxProviders',
  initial: () => ({ provider: null, configurations: {} }),
  decide: (state, command) => {
    const { provider } = command;
    if (command.type === 'ActivateTaxProvider')
      return state.provider === provider ? [] : [TaxProviderActivated({ provider })];
    const { configuration } = command;
    return isSameJson(state.configurations[provider] ?? {}, configuration)
      ? []
      : [TaxProviderConfigured({ provider, configuration: { ...configuration } })];
  },
  on: {
    TaxProviderActivated: (state, { data: { provider } }) => ({ ...state, provider }),
    TaxProviderConfigured: (state, { data: { provider, configuration } }) => ({
      ...state,
      configurations: { ...state.configurations, [provider]: configuration },
    }),
  },
  remembersCommands: true,
};
