import { FULFILMENT_KEY, FULFILMENT_SECRET } from '#test/support/fulfilment-server.ts';
import { manage } from '#test/support/requests.ts';
import { known } from './known.ts';
import type { Episode } from './day.ts';

const providers = '/fulfilment-providers';

export const fulfilmentEpisodes: readonly Episode[] = [
  {
    title: 'Somebody else keeps cups, counts them and learns of the products',
    topics: ['fulfilment.inventory_updated', 'fulfilment.product_synced'],
    happen: async ({ staff, ids, server }) => {
      const configuration = {
        ...{ baseUrl: server.url, apiKey: FULFILMENT_KEY, webhookSecret: FULFILMENT_SECRET },
        timeoutSeconds: 5,
      };
      const provider = { providerKey: 'generic-http', configuration };
      const { id } = await staff(manage.post(providers, provider), 201);
      const house = { name: 'Leith', address: { countryCode: 'GB' }, fulfilmentProviderConfigurationId: id };
      const { id: warehouseId } = await staff(manage.post('/warehouses', house), 201);
      await staff(manage.post('/shipping-options', { name: 'Leith', warehouseId, fixedCost: 4 }), 201);
      const [warehouses, stock] = [[{ warehouseId }], [{ warehouseId, stock: 5 }]];
      const cups = { rootName: 'Cup', sku: 'CUP', price: 8, warehouses, stock };
      const { variants } = await staff(manage.post('/products', cups), 201);
      ids.set('cup', variants[0].id);
      server.levels = [{ sku: 'CUP', availableQuantity: 20 }];
      await staff(manage.post(`${providers}/${id}/sync/inventory`), 202);
      await staff(manage.post(`${providers}/${id}/sync/products`), 202);
    },
  },
  {
    title: 'It takes one order and refuses the next',
    topics: ['fulfilment.submitted', 'fulfilment.failed'],
    happen: async ({ buy, pass, ids, server }) => {
      await buy(known(ids, 'cup'), 'dee@example.com');
      await pass(0, 'fulfilment-retry');
      server.fail('refuses');
      await buy(known(ids, 'cup'), 'eve@example.com');
      await pass(0, 'fulfilment-retry');
    },
  },
];
