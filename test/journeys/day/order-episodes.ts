import { Customer } from '#test/support/member-shop.ts';
import { manage } from '#test/support/requests.ts';
import { known } from './known.ts';
import type { Episode } from './day.ts';

export const orderEpisodes: readonly Episode[] = [
  {
    title: 'Ada buys three mugs',
    topics: [
      ...(['basket.created', 'basket.updated', 'customer.created', 'inventory.reserved'] as const),
      ...(['invoice.created', 'invoice.paid', 'order.created', 'order.updated'] as const),
      'order.status_changed',
    ],
    happen: async ({ buy, ids, integrator }) => {
      ids.set('invoice', await buy(known(ids, 'mug'), 'ada@example.com', 3));
      ids.set('order', String(integrator.latest('order.created')['id']));
      ids.set('customer', String(integrator.latest('customer.created')['id']));
    },
  },
  {
    title: 'Staff send them, and seven are left',
    topics: ['shipment.created', 'shipment.updated', 'inventory.allocated', 'inventory.low_stock'],
    happen: async ({ staff, ids }) => {
      const { orders } = await staff(manage.get(`/orders/${known(ids, 'invoice')}`));
      const [order] = orders;
      const lineItems = { [order.lineItems[0].id]: 3 };
      const path = `/orders/${known(ids, 'order')}/shipments`;
      const { id } = await staff(manage.post(path, { lineItems, carrier: 'Royal Mail' }), 201);
      await staff(manage.put(`/shipments/${id}/status`, { newStatus: 'Shipped' }));
    },
  },
  {
    title: 'Staff give money back, cancel one order and delete another',
    topics: ['invoice.refunded', 'order.cancelled', 'invoice.deleted'],
    happen: async ({ staff, buy, ids }) => {
      const { items } = await staff(manage.get(`/invoices/${known(ids, 'invoice')}/payments`));
      await staff(manage.post(`/payments/${items[0].id}/refund`, { amount: 5, reason: 'Chipped' }));
      const cancelled = await buy(known(ids, 'mug'), 'bob@example.com');
      await staff(manage.post(`/orders/${cancelled}/cancel`, { reason: 'Wrong colour' }));
      const gone = await buy(known(ids, 'mug'), 'cy@example.com');
      await staff(manage.post('/orders/delete', { ids: [gone] }));
    },
  },
  {
    title: 'A member buys a file',
    topics: ['digital.delivered'],
    happen: async ({ shop }) => {
      const more = { digitalFileIds: ['books/tea.txt'] };
      const file = await shop.sell('FILE', { price: 5, isDigital: true, more });
      const member = new Customer(shop.base);
      await member.register('member@example.com', file);
      await member.initialize();
      const { invoiceId } = (await member.pay()).body;
      await member.payWith(invoiceId as string);
    },
  },
];
