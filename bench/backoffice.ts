/** The key to every shop of the benchmark. */
export const backofficeKey = 'bench-backoffice-key-of-a-benchmark';

/** The one who keeps a shop's subscriptions and products. Errors: with what the shop answered. */
export const backoffice = (port: number) => {
  const headers = { authorization: `Bearer ${backofficeKey}`, 'content-type': 'application/json' };
  const ask = async <Answer = { readonly id: string }>(
    method: string,
    path: string,
    body: object,
  ): Promise<Answer> => {
    const response = await fetch(`http://127.0.0.1:${port}/backoffice/api/v1${path}`, {
      method,
      headers,
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path} answered ${await response.text()}`);
    return (await response.json()) as Answer;
  };
  return {
    /** Returns the subscription's id. */
    subscribe: async (topic: string, targetUrl: string): Promise<string> =>
      (await ask('POST', '/webhooks', { name: 'bench', topic, targetUrl })).id,
    activate: async (id: string, isActive: boolean): Promise<void> => {
      await ask('PUT', `/webhooks/${id}`, { isActive });
    },
    /** Sells a file for nothing; returns the id that storefront paths use. */
    giveAway: async (sku: string, fileId: string): Promise<string> => {
      const files = { isDigitalProduct: true, digitalFileIds: [fileId] };
      const product = { rootName: sku, sku, price: 0, ...files };
      interface Sold {
        readonly variants: readonly { readonly id: string }[];
      }
      return (await ask<Sold>('POST', '/products', product)).variants[0]?.id ?? '';
    },
    /** Sells lines that are written by hand; returns the invoice's id. */
    sellByHand: async (email: string, lines = 1): Promise<string> => {
      const place = {
        addressOne: '1 High Street',
        townCity: 'Hull',
        postalCode: 'HU1 1AA',
        countryCode: 'GB',
      };
      const billingAddress = { name: 'Ada Bench', email, ...place };
      const customItems = Array.from({ length: lines }, () => ({ name: 'Lamp', amount: 40 }));
      const order = { billingAddress, customItems };
      return (await ask<{ readonly invoiceId: string }>('POST', '/orders/manual', order)).invoiceId;
    },
    /** Returns how many were paid. */
    markPaid: async (invoiceIds: readonly string[]): Promise<number> => {
      const batch = { invoiceIds, paymentMethod: 'Transfer', reference: 'bench' };
      const paid = await ask<{ readonly successCount: number }>('POST', '/orders/batch-mark-paid', batch);
      return paid.successCount;
    },
    linesOf: async (invoiceId: string): Promise<readonly string[]> => {
      const response = await fetch(`http://127.0.0.1:${port}/backoffice/api/v1/orders/${invoiceId}/edit`, {
        headers,
      });
      const { orders } = (await response.json()) as {
        readonly orders: readonly { readonly lineItems: readonly { readonly id: string }[] }[];
      };
      return orders.flatMap(({ lineItems }) => lineItems.map(({ id }) => id));
    },
    previewEdit: (invoiceId: string, edit: object) => ask('POST', `/orders/${invoiceId}/preview-edit`, edit),
    edit: (invoiceId: string, edit: object) => ask('PUT', `/orders/${invoiceId}/edit`, edit),
    renameProduct: async (id: string, rootName: string): Promise<void> => {
      await ask('PUT', `/products/${id}`, { rootName });
    },
  };
};
