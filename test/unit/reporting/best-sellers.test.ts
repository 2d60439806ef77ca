import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { bestSellers } from '#projection/contexts/reporting/best-sellers.ts';
import { soldByMemberProjection } from '#projection/contexts/reporting/sold-by-member.projection.ts';
import { createReader } from '#projection/engine/reader.ts';
import type { Reference } from '#reference/reference.ts';
import { invoiceEvents } from '#events/invoice.events.ts';
import { closedBalance } from '#values/invoice-balance.ts';
import { saleAsItStands } from '#events/sale-figures.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { invoice } from '#test/support/builders/invoice.ts';
import { soldContent } from '#test/support/builders/sold.ts';
import { givenEvents, type GivenEvent } from '#test/support/given.ts';
import { storedViews } from '#test/support/stored-views.ts';

let sales = 0;
const saleOf = (businessDay: string, sold: Readonly<Record<string, number>>) => {
  const line = { unitPrice: 500, discount: 0, tax: 0 };
  const lines = Object.entries(sold).map(([product, quantity]) => ({ product, quantity, ...line }));
  return invoice(`sale ${++sales}`, { content: soldContent(lines, 0, { businessDay }) });
};
type Sale = ReturnType<typeof saleOf>;

const confirmed = ({ stream, confirmed: sold }: Sale): GivenEvent => ({ ...sold(), stream });
const cancelled = ({ stream, invoiceName, confirmed: sold }: Sale): GivenEvent => ({
  ...invoiceEvents.create.InvoiceCancelled({
    ...{ ...invoiceName, reason: 'A mistake', cancelledAt: '2026-04-01T09:00:00.000Z', cancelledBy: 'mary' },
    balance: closedBalance(0, 0, 0, 0),
    sale: saleAsItStands(sold().data.content, 0, 'GB'),
  }),
  stream,
});

/** A shop that sells these variants today, each under its name. */
const shopOf = async (events: readonly GivenEvent[], ...names: readonly string[]) => {
  const readStore = createMemoryDocumentStore();
  await readStore.declare(soldByMemberProjection.name, soldByMemberProjection.indexes);
  const { documents } = givenEvents(...events).project(soldByMemberProjection, '');
  await readStore.write(
    [...documents.values()].map((put) => ({ collection: soldByMemberProjection.name, put })),
  );
  const variants = new Map(
    names.map((name) => [idNamed(name), { rootId: name, variant: { name, sku: name } }]),
  );
  const reference = { catalogue: { variant: (id: string) => variants.get(id) } } as unknown as Reference;
  return { reader: createReader({ readStore, engine: storedViews((view) => view) }), reference };
};

const named = (sellers: Awaited<ReturnType<typeof bestSellers>>) =>
  sellers.map(({ name, quantity }) => [name, quantity]);

describe('best sellers (docs/rules/reporting.md#best-sellers)', () => {
  const march = confirmed(saleOf('2026-03-01', { tea: 2, mug: 3, jam: 1, cup: 3, pot: 1 }));
  const april = confirmed(saleOf('2026-04-01', { tea: 2 }));

  it('go by the pieces that were sold, and what is equal by name', async () => {
    const shop = await shopOf([march, april], 'tea', 'mug', 'cup', 'jam', 'pot');
    expect(named(await bestSellers(shop))).to.deep.equal([
      ['tea', 4],
      ['cup', 3],
      ['mug', 3],
      ['jam', 1],
      ['pot', 1],
    ]);
    expect(named(await bestSellers(shop, { take: 2 }))).to.deep.equal([
      ['tea', 4],
      ['cup', 3],
    ]);
  });

  it('are eight unless another number is asked for', async () => {
    const names = Array.from({ length: 10 }, (_, place) => `variant ${place}`);
    const sold = confirmed(saleOf('2026-03-01', Object.fromEntries(names.map((name) => [name, 1]))));
    expect(await bestSellers(await shopOf([sold], ...names))).to.have.length(8);
  });

  it('leave out what is deleted, and make room for the next', async () => {
    const shop = await shopOf([march, april], 'mug', 'jam');
    expect(named(await bestSellers(shop, { take: 2 }))).to.deep.equal([
      ['mug', 3],
      ['jam', 1],
    ]);
  });

  it('are those of some days, both included, or from or up to one', async () => {
    const shop = await shopOf([march, april], 'tea');
    const teas = async (query: Parameters<typeof bestSellers>[1]) => named(await bestSellers(shop, query));
    expect(await teas({ from: '2026-03-01', to: '2026-03-31' })).to.deep.equal([['tea', 2]]);
    expect(await teas({ from: '2026-03-02' })).to.deep.equal([['tea', 2]]);
    expect(await teas({ to: '2026-04-01' })).to.deep.equal([['tea', 4]]);
    expect(await teas({ from: '2026-03-02', to: '2026-03-31' })).to.deep.equal([]);
  });

  it('do not count what is cancelled', async () => {
    const sale = saleOf('2026-03-01', { tea: 5 });
    const shop = await shopOf([confirmed(sale), april, cancelled(sale)], 'tea');
    expect(named(await bestSellers(shop))).to.deep.equal([['tea', 2]]);
  });
});
