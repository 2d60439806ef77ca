import type { CommandDeps } from '#command/engine/service-deps.ts';
import { type ReportedUpsellEvent, upsellEvents } from '#contracts/upsell-events.contract.ts';
import type { OwnLimit } from '#http/own-limit.ts';
import { countedAddress, tooManyRequests } from '#http/rate-limit.ts';
import { noContent, route, type Route, visitor } from '#http/route.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { CatalogueReference, UpsellReference } from '#reference/reference.ts';
import { type DisplayLocation, displayLocations, locationNamed } from '#values/upsells.ts';
import type { NewUpsellEvent, UpsellEvents } from './upsell-events.ts';

/** Conversions are counted from sales, never from what a caller reports. */
const eventTypes = ['Impression', 'Click'] as const;

const eventTypeOf = (told: string | number): (typeof eventTypes)[number] | undefined =>
  eventTypes.find((name, value) => isNamed(told, name, value));

/** By name in any case, or by number, also as text. */
const isNamed = (told: string | number, name: string, value: number): boolean =>
  String(told).toLowerCase() === name.toLowerCase() || String(told) === String(value);

/** One location; a sum of flags is invalid. */
const locationOf = (told: string | number): DisplayLocation | undefined =>
  locationNamed(String(told)) ??
  (Object.keys(displayLocations) as DisplayLocation[]).find((name) =>
    isNamed(told, name, displayLocations[name]),
  );

interface KnownToShop {
  readonly upsells: Pick<UpsellReference, 'byId'>;
  readonly catalogue: Pick<CatalogueReference, 'variant'>;
}

/** A reported event as it is recorded; null if it cannot have happened. */
const recordable = (
  { upsellRuleId, displayLocation, productId = null, eventType }: ReportedUpsellEvent,
  { upsells, catalogue }: KnownToShop,
  teller: Pick<NewUpsellEvent, 'basketId' | 'customerId'>,
): NewUpsellEvent | null => {
  const type = eventTypeOf(eventType ?? '');
  const location = locationOf(displayLocation ?? '');
  const id = upsellRuleId?.toLowerCase() ?? '';
  const product = productId?.toLowerCase() ?? null;
  if (!type || !location || !upsells.byId(id)) return null;
  const sold = product === null ? null : catalogue.variant(product);
  if (sold === undefined) return null;
  return {
    upsellRuleId: id,
    eventType: type,
    productId: product,
    productIds: product === null ? [] : [product],
    productRootIds: sold === null ? [] : [sold.rootId],
    ...teller,
    invoiceId: null,
    displayLocation: location,
  };
};

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
