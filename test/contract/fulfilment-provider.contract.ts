import { expect } from 'chai';
import type {
  FulfilmentOrder,
  FulfilmentProvider,
  FulfilmentSettings,
  OrderSupplier,
} from '#ports/fulfilment-provider.ts';

/** A provider, what it is set to, and what has come of it at the other side. */
export interface OpenedProvider {
  readonly provider: FulfilmentProvider;
  readonly settings: FulfilmentSettings;
  /** The numbers of the orders that have arrived, each once. */
  readonly arrived: () => readonly string[];
  /** From now on nobody can be reached. */
  readonly breakDown: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export const someSupplier: OrderSupplier = { name: 'Potter', contactEmail: 'potter@example.com' };

export const someOrder: FulfilmentOrder = {
  orderId: '6a1e5b1c-3f4d-4c55-9d55-0f6f8a0d1b2c',
  orderNumber: 'INV-0042',
  currencyCode: 'GBP',
  lineItems: [
    { lineItemId: 'line', sku: 'MUG', name: 'Mug <blue>', quantity: 2, unitPrice: 9.5, extendedData: {} },
  ],
  shippingAddress: null,
  billingAddress: null,
  customerEmail: null,
  shippingServiceCode: null,
  requestedDeliveryDate: null,
  internalNotes: null,
  extendedData: {},
};

/** What every provider that takes orders is held to (docs/guides/writing-a-fulfilment-provider.md). */
export const describeFulfilmentProvider = (name: string, open: () => Promise<OpenedProvider>): void => {
  describe(`fulfilment providers: ${name}`, () => {
    let opened: OpenedProvider;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());
    const submit = (idempotencyKey = 'one key') => {
      const { provider, settings } = opened;
      return provider.submitOrder?.(settings, someOrder, {
        idempotencyKey,
        supplier: someSupplier,
        subject: null,
      });
    };

    it('take an order once under its key, and know it by the same reference', async () => {
      const first = await submit();
      expect(first).to.include({ kind: 'submitted' });
      expect(await submit()).to.deep.include({ ...first, status: (first as { status: string }).status });
      expect(opened.arrived()).to.deep.equal(['INV-0042']);
    });

    it('say so when they are there', async () => {
      const { provider, settings } = opened;
      expect(await provider.testConnection(settings)).to.include({ success: true, errorMessage: null });
    });

    it('answer that they failed, and throw nothing, where nobody can be reached', async () => {
      await opened.breakDown();
      const outcome = await submit();
      expect(outcome?.kind).to.equal('failed');
    });

    it('have what they say they can do, and nothing else', () => {
      const { provider } = opened;
      const { description } = provider;
      expect({
        supportsOrderSubmission: provider.submitOrder !== undefined,
        supportsOrderCancellation: provider.cancelOrder !== undefined,
        supportsWebhooks: provider.callback !== undefined,
        supportsPolling: provider.pollOrder !== undefined,
        supportsProductSync: provider.syncProducts !== undefined,
        supportsInventorySync: provider.inventoryLevels !== undefined,
      }).to.deep.equal({
        supportsOrderSubmission: description.supportsOrderSubmission,
        supportsOrderCancellation: description.supportsOrderCancellation,
        supportsWebhooks: description.supportsWebhooks,
        supportsPolling: description.supportsPolling,
        supportsProductSync: description.supportsProductSync,
        supportsInventorySync: description.supportsInventorySync,
      });
    });
  });
};
