import type { ShopStream } from '#command/engine/streams.ts';
import type { TaxProviderEvent } from '#events/tax.events.ts';
import { derivedId } from '#kernel/ids.ts';
import type { TaxProviderCommand } from './tax.commands.ts';
import { taxProvidersDecider, type TaxProvidersState } from './tax-providers.decider.ts';

export const TAX_PROVIDERS = derivedId('taxProviders');

export const taxProvidersStream: ShopStream<TaxProvidersState, TaxProviderCommand, TaxProviderEvent> = {
  decider: taxProvidersDecider,
};
