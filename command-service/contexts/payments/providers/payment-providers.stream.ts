import type { ShopStream } from '#command/engine/streams.ts';
import type { PaymentProviderEvent } from '#events/payment-provider.events.ts';
import type { PaymentProvidersView } from '#events/payment-providers-view.ts';
import { derivedId } from '#kernel/ids.ts';
import type { PaymentProviderCommand } from './payment-provider.commands.ts';
import { paymentProvidersDecider } from './payment-providers.decider.ts';

export const PAYMENT_PROVIDERS = derivedId('paymentProviders');

export const paymentProvidersStream: ShopStream<
  PaymentProvidersView,
  PaymentProviderCommand,
  PaymentProviderEvent
> = {
  decider: paymentProvidersDecider,
};
