// Run as a process of its own, to be killed: writes baskets and reports how many writes were acknowledged.
import { openSqliteDocumentStore } from '#adapters/sqlite/sqlite-document-store.ts';

const store = await openSqliteDocumentStore({ file: process.argv[2] ?? '', synchronous: 'FULL' });
await store.declare('baskets', [{ fields: ['total'] }, { fields: ['items'], contains: true }]);
for (let total = 1; ; total++) {
  const basket = { _id: `basket-${total}`, total, items: 'a mug' };
  await store.write([{ collection: 'baskets', put: basket }]);
  process.send?.(total);
}
