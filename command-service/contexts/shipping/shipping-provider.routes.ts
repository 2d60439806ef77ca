import type { EntityActions } from '#command/engine/entity.actions.ts';
import { toggleRoute } from '#command/engine/entity-routes.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { CarrierQuestion, Rates } from '#command/pricing/carrier-rates.ts';
import { entityParams } from '#contracts/management.contract.ts';
import { providerTestResponse } from '#contracts/provider-fields.contract.ts';
import { shippingProvider, type ShippingProvider } from '#entities/shipping-provider.entity.ts';
import { admin, ok, route, type Route } from '#http/route.ts';
import { notFound } from '#kernel/entity.ts';

const common = {
  base: 'management',
  service: 'command',
  caller: admin,
  file: import.meta.url,
} as const;

export interface ShippingProviderRouteDeps {
  readonly actions: EntityActions<ShippingProvider, ShippingProvider>;
  readonly reference: CommandDeps['reference'];
  readonly test: (question: CarrierQuestion) => Promise<Rates | null>;
}

/** A parcel of a kilogram within one country. */
const trial = ({ providerKey, configuration }: ShippingProvider, id: string): CarrierQuestion => ({
  warehouseId: id,
  carrier: { providerKey, configuration, isEnabled: true, markUpPercent: 0, daysFrom: null, daysTo: null },
  origin: { countryCode: 'GB', regionCode: null, postalCode: null },
  packages: [{ weightKg: 1, lengthCm: null, widthCm: null, heightCm: null, count: 1 }],
});

const testRoute = ({ reference, test }: ShippingProviderRouteDeps): Route =>
  route({
    ...common,
    method: 'POST',
    path: '/shipping-providers/{id}/test',
    summary: 'Ask a carrier for a rate, whether it is on or not',
    schemas: { params: entityParams },
    response: providerTestResponse,
    errors: ['entity-not-found'],
    handle: async ({ params: { id } }) => {
      const provider = reference.entities.find(shippingProvider.category, id) as ShippingProvider | undefined;
      if (!provider) throw notFound(shippingProvider.noun);
      const rates = await test(trial(provider, id));
      const failed = rates?.get('')?.some(({ kind }) => kind === 'failed') ?? true;
      const errorMessage = failed ? `${provider.providerKey} gave no rates.` : null;
      return ok({ success: !failed, errorMessage });
    },
  });

/** Carriers are switched and tried out; the rest is as with every resource. */
export const shippingProviderRoutes = (deps: ShippingProviderRouteDeps): readonly Route[] => [
  toggleRoute(deps.actions, { file: import.meta.url, path: '/shipping-providers/{id}/toggle' }),
  testRoute(deps),
];
