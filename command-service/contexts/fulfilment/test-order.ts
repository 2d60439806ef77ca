import { newId } from '#kernel/ids.ts';
import type { FulfilmentOrder } from '#ports/fulfilment-provider.ts';
import type { SetUpProvider } from './known-configuration.ts';

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

export interface OrderTest {
  readonly success: boolean;
  readonly providerReference: string | null;
  readonly providerStatus: string | null;
  readonly errorMessage: string | null;
}

/** Sends a provider a test order; nothing is recorded. */
export const submitTestOrder = async (
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
  });
  if (outcome.kind !== 'submitted') return failed(outcome.message);
  const { reference: providerReference, status: providerStatus } = outcome;
  return { success: true, providerReference, providerStatus, errorMessage: null };
};
