import type { CommandDeps } from '#command/engine/service-deps.ts';
import { upsellEvents } from '#contracts/upsell-events.contract.ts';
import type { OwnLimit } from '#http/own-limit.ts';
import { countedAddress, tooManyRequests } from '#http/rate-limit.ts';
import { noContent, route, visitor, type Route } from '#http/route.ts';
import { Rejection } from '#kernel/rejection.ts';
import { recordable } from './reported-event.ts';
import type { UpsellEvents } from './upsell-events.ts';

export interface UpsellEventRouteDeps extends Pick<CommandDeps, 'reference' | 'apis'> {
  readonly events: Pick<UpsellEvents, 'record'>;
  /** A limit with a window of one minute. */
  readonly limit: OwnLimit;
  /** Per address; 0: no limit. */
  readonly perMinute: number;
}

/** Events of suggestions that storefronts report (docs/rules/upsell-performance.md#events). */
export const upsellEventRoutes = ({
  reference,
  apis,
  events,
  limit,
  perMinute,
}: UpsellEventRouteDeps): readonly Route[] => [
  route({
    method: 'POST',
    base: 'storefront',
    path: '/upsells/events',
    service: 'command',
    caller: visitor,
    summary: 'Tell that suggestions were seen or clicked',
    schemas: { body: upsellEvents },
    errors: ['too-many-requests', 'too-busy'],
    file: import.meta.url,
    handle: async ({ body, basketId, actor, ip }) => {
      const isMember = actor.kind === 'member' && actor.id !== null;
      const customerId = isMember ? await apis.members.customerOf(actor.id) : null;
      const told = (body.events ?? [])
        .map((event) => recordable(event, reference, { basketId, customerId }))
        .filter((event) => event !== null);
      const taken = limit.take(countedAddress({ ip }), perMinute, told.length);
      if (!taken.isTaken)
        throw tooManyRequests('Too many events. Send fewer, or wait a minute.', taken.retryAfterSeconds);
      if (!events.record(told))
        throw new Rejection(
          'too-busy',
          'The shop cannot take events at the moment. Send them again shortly.',
        );
      return noContent();
    },
  }),
];
