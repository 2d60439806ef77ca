import { manage } from '#test/support/requests.ts';
import { known } from './known.ts';
import type { Episode } from './day.ts';

const tenOff = { name: 'Ten off', category: 'AmountOffOrder', method: 'Code', code: 'TEN' };
const percentage = { valueType: 'Percentage', value: 10 };

const opening: readonly Episode[] = [
  {
    title: 'Staff put ten mugs and a discount on sale',
    topics: ['product.created', 'inventory.adjusted', 'discount.created'],
    happen: async ({ shop, staff, ids }) => {
      const mug = await shop.sell('MUG', { price: 10, stock: 10 });
      const { items } = await staff(manage.get('/products?search=MUG'));
      const { variants, id } = await staff(manage.get(`/products/${items[0].id}`));
      const warehouseId = variants[0].stock[0].warehouseId as string;
      ids.set('mug', mug).set('mug root', id).set('warehouse', warehouseId);
      const { id: discount } = await staff(manage.post('/discounts', { ...tenOff, ...percentage }), 201);
      ids.set('discount', discount);
    },
  },
  {
    title: 'Staff rename the mug, say when it is low, and change the discount',
    topics: ['product.updated', 'discount.updated'],
    happen: async ({ staff, ids }) => {
      const stock = [{ warehouseId: known(ids, 'warehouse'), reorderPoint: 8 }];
      await staff(manage.put(`/products/${known(ids, 'mug root')}`, { rootName: 'Blue mug', stock }));
      await staff(manage.put(`/discounts/${known(ids, 'discount')}`, { name: 'A tenth off' }));
    },
  },
];

const closing: readonly Episode[] = [
  {
    title: 'Staff correct a name, and forget Ada, who asks for it',
    topics: ['customer.updated', 'customer.deleted'],
    happen: async ({ staff, ids }) => {
      const path = `/customers/${known(ids, 'customer')}`;
      await staff(manage.put(path, { lastName: 'King' }));
      await staff(manage.post(`${path}/forget`, { force: true }));
    },
  },
  {
    title: 'Staff take a product and the discount off sale',
    topics: ['product.deleted', 'discount.deleted'],
    happen: async ({ staff, ids }) => {
      const { id } = await staff(manage.post('/products', { rootName: 'Old', sku: 'OLD', price: 1 }), 201);
      await staff(manage.delete(`/products/${id}`), 204);
      await staff(manage.delete(`/discounts/${known(ids, 'discount')}`), 204);
    },
  },
];

export const staffEpisodes = { opening, closing };
