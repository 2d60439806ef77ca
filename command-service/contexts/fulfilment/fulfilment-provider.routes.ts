import type { EntityActions } from '#command/engine/entity.actions.ts';
import { toggleRoute } from '#command/engine/entity-routes.ts';
import { entityParams } from '#contracts/management.contract.ts';
import {
  connectionTestResponse,
  orderTestResponse,
  webhookEventsResponse,
} from '#contracts/fulfilment.contract.ts';
import type { FulfilmentProviderConfiguration } from '#entities/fulfilment-provider-configuration.entity.ts';
import { admin, ok, route, type Route } from '#http/route.ts';
import { newId } from '#kernel/ids.ts';
import type { FulfilmentOrder } from '#ports/fulfilment-provider.ts';
import type { KnownConfigurations, SetUpProvider } from './known-configuration.ts';

/** A made-up order that is marked as a test. */
const testOrder = (orderId: string, currencyCode: string): FulfilmentOrder => {
  const address = {
    name: 'Test Order',
    company: null,
    addressOne: '1 Test Street',
    addressTwo: null,
    townCity: 'London',
    countyState: null,
    regionCode: null,
    postalCode: 'SW1A 1AA',
    countryCode: 'GB',
    country: 'United Kingdom',
    email: null,
    phone: null,
  };
  return {
    orderId,
    orderNumber: `TEST-${orderId.slice(-8)}`,
    currencyCode,
    lineItems: [
      { lineItemId: newId(), sku: 'TEST', name: 'Test item', quantity: 1, unitPrice: 1, extendedData: {} },
    ],
    shippingAddress: address,
    billingAddress: address,
    customerEmail: 'test@example.com',
    shippingServiceCode: null,
    requestedDeliveryDate: null,
    internalNotes: 'This is a test. Send nothing.',
    extendedData: { isTest: 'true' },
  };
};

interface OrderTest {
  readonly success: boolean;
  readonly providerReference: string | null;
  readonly providerStatus: string | null;
  readonly errorMessage: string | null;
}

/** Sends a provider a test order; nothing is recorded. */
const submitTestOrder = async (
  { provider, settings }: SetUpProvider,
  currency: string,
): Promise<OrderTest> => {
  const failed = (errorMessage: string): OrderTest => ({
    success: false,
    providerReference: null,
    providerStatus: null,
    errorMessage,
  });
  if (!provider.submitOrder) return failed('This provider takes no orders.');
  const orderId = newId();
  const outcome = await provider.submitOrder(settings.configuration, testOrder(orderId, currency), {
    idempotencyKey: orderId,
    supplier: null,
    subject: null,
  });
  if (outcome.kind !== 'submitted') return failed(outcome.message);
  const { reference: providerReference, status: providerStatus } = outcome;
  return { success: true, providerReference, providerStatus, errorMessage: null };
};

const common = {
  base: 'management',
  service: 'command',
  caller: admin,
  file: import.meta.url,
} as const;

export interface FulfilmentProviderRouteDeps {
  readonly actions: EntityActions<FulfilmentProviderConfiguration, FulfilmentProviderConfiguration>;
  readonly known: KnownConfigurations;
  readonly currency: () => string;
}

const testRoutes = ({ known, currency }: FulfilmentProviderRouteDeps): readonly Route[] => [
  route({
    ...common,
    method: 'POST',
    path: '/fulfilment-providers/{id}/test',
    summary: 'Ask a fulfilment provider whether it is there, whether it is on or not',
    schemas: { params: entityParams },
    response: connectionTestResponse,
    errors: ['entity-not-found'],
    handle: async ({ params: { id } }) => {
      const { provider, settings } = known.get(id);
      return ok(await provider.testConnection(settings.configuration));
    },
  }),
  route({
    ...common,
    method: 'POST',
    path: '/fulfilment-providers/{id}/test/order',
    summary: 'Send a fulfilment provider a test order',
    schemas: { params: entityParams },
    response: orderTestResponse,
    errors: ['entity-not-found'],
    handle: async ({ params: { id } }) => ok(await submitTestOrder(known.get(id), currency())),
  }),
  route({
    ...common,
    method: 'GET',
    path: '/fulfilment-providers/{id}/test/webhook-events',
    summary: 'The callbacks of a fulfilment provider that can be tried out',
    schemas: { params: entityParams },
    response: webhookEventsResponse,
    errors: ['entity-not-found'],
    handle: async ({ params: { id } }) => ok(known.get(id).provider.testableEvents ?? []),
  }),
];

/** Activating and trying out providers; the rest is as for every resource. */
export const fulfilmentProviderRoutes = (deps: FulfilmentProviderRouteDeps): readonly Route[] => [
  toggleRoute(deps.actions, { file: import.meta.url, path: '/fulfilment-providers/{id}/toggle' }),
  ...testRoutes(deps),
];
