import { newId } from '#kernel/ids.ts';
import { eventsAfter, expectStatus, finding, headOf, management, unique, type Attack } from '../attack.ts';

/** Sends what must be refused, and looks into the log. */
export const attack: Attack = {
  title: 'requests that are refused',
  before: 'left ValueClaimed and ClaimReleased in the log for ever',
  kind: 'destructive',
  run: async (target) => {
    const { shop } = target;
    const taken = unique('TAKEN');
    await shop.sell(taken, { price: 1 });
    const before = await headOf(target);
    const post = (path: string, body: object) => shop.admin.post(management + path, body);
    const code = unique('HALF');
    const refused = [
      await post('/discounts', {
        ...{
          name: code,
          code,
          category: 'AmountOffOrder',
          method: 'Code',
          valueType: 'Percentage',
          value: 150,
        },
      }),
      await post('/products', {
        ...{ rootName: 'Nowhere', sku: unique('NOWHERE'), price: 1, warehouses: [{ warehouseId: newId() }] },
      }),
      await post('/products', {
        rootName: 'Half new',
        variants: [
          { sku: unique('NEW'), name: 'New', price: 1 },
          { sku: taken, name: 'Taken', price: 1 },
        ],
      }),
    ];
    const left = await eventsAfter(target, before);
    return finding('refused, and the log is as it was', [
      ...refused.flatMap((answer, at) => expectStatus(`request ${at + 1}`, answer, 400, 404, 409)),
      ...(left.length > 0 ? [`left ${left.length} events: ${[...new Set(left)].join(', ')}`] : []),
    ]);
  },
};
