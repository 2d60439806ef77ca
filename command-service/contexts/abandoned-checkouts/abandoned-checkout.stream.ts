import type { ShopStream } from '#command/engine/streams.ts';
import type { AbandonedCheckoutEvent } from '#events/abandoned-checkout.events.ts';
import type { AbandonedCheckoutCommand } from './abandoned-checkout.commands.ts';
import { abandonedCheckoutDecider } from './abandoned-checkout.decider.ts';
import type { AbandonedCheckoutState } from './abandoned-checkout.state.ts';

export const abandonedCheckouts: ShopStream<
  AbandonedCheckoutState,
  AbandonedCheckoutCommand,
  AbandonedCheckoutEvent
> = { decider: abandonedCheckoutDecider };
