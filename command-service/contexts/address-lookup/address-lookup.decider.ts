import { addressLookupEvents, type AddressLookupEvent } from '#events/address-lookup.events.ts';
import type { Decider } from '#kernel/decider.ts';
import { isSameJson } from '#kernel/same-json.ts';
import type { AddressLookupConfiguration } from '#ports/address-lookup.ts';

/** Chooses the provider of addresses; `none` turns it off. */
interface ChooseAddressLookup {
  readonly type: 'ChooseAddressLookup';
  readonly provider: string;
}

/** Sets what a provider needs: the whole of it. */
interface ConfigureAddressLookup {
  readonly type: 'ConfigureAddressLookup';
  readonly provider: string;
  readonly configuration: AddressLookupConfiguration;
}

export type AddressLookupCommand = ChooseAddressLookup | ConfigureAddressLookup;

export interface AddressLookupState {
  readonly provider: string | null;
  readonly configurations: Readonly<Record<string, AddressLookupConfiguration>>;
}

const { AddressLookupChosen, AddressLookupConfigured } = addressLookupEvents.create;

/** Who is asked for addresses, and what they are set to. */
export const addressLookupDecider: Decider<AddressLookupState, AddressLookupCommand, AddressLookupEvent> = {
  category: 'addressLookups',
  initial: () => ({ provider: null, configurations: {} }),
  decide: (state, command) => {
    const { provider } = command;
    if (command.type === 'ChooseAddressLookup')
      return state.provider === provider ? [] : [AddressLookupChosen({ provider })];
    const { configuration } = command;
    return isSameJson(state.configurations[provider] ?? {}, configuration)
      ? []
      : [AddressLookupConfigured({ provider, configuration: { ...configuration } })];
  },
  on: {
    AddressLookupChosen: (state, { data: { provider } }) => ({ ...state, provider }),
    AddressLookupConfigured: (state, { data: { provider, configuration } }) => ({
      ...state,
      configurations: { ...state.configurations, [provider]: configuration },
    }),
  },
  remembersCommands: true,
};
