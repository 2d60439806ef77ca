import type { CommandDeps } from '#command/engine/service-deps.ts';
import { upsellEvents } from '#contracts/upsell-events.contract.ts';
import { noContent, route, visitor, type Route } from '#http/route.ts';
import { Rejection } from '#kernel/rejection.ts';
import { recordable } from './told-event.ts';
import type { UpsellEvents } from './upsell-events.ts';

export interface UpsellEventRouteDeps extends Pick<CommandDeps, 'reference' | 'neighbours'> {
  readonly events: Pick<UpsellEvents, 'record'>;
}

/** What storefronts tell of suggestions (docs/rules/upsell-performance.md#events). */
export const upsellEventRoutes = ({
  reference,
  neighbours,
  events,
}: UpsellEventRouteDeps): readonly Route[] => [
  route({
    method: 'POST',
    base: 'storefront',
    path: '/upsells/events',
    service: 'command',
    caller: visitor,
    summary: 'Tell that suggestions were seen or clicked',
    schemas: { body: upsellEvents },
    errors: ['too-busy'],
    file: import.meta.url,
    handle: async ({ body, basketId, actor }) => {
      const isMember = actor.kind === 'member' && actor.id !== null;
      const customerId = isMember ? await neighbours.members.customerOf(actor.id) : null;
      const told = (body.events ?? []).map((event) => recordable(event, reference, { basketId, customerId }));
      if (!events.record(told.filter((event) => event !== null)))
        throw new Rejection(
          'too-busy',
          'The shop cannot take events at the moment. Send them again shortly.',
        );
      return noContent();
    },
  }),
];
