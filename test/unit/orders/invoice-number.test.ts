import { expect } from 'chai';
import { createInvoiceActions } from '#command/contexts/orders/invoice-actions.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { anyMeta, startTestEngine } from '#test/support/engine.ts';
import { defaultStoreSettings } from '#values/store-settings.ts';
import { formatInvoiceNumber } from '#values/invoice-number.ts';

/** The books of two processes. */
const openBooks = async () => {
  const { another, store: log, clock } = await startTestEngine();
  const store = { ...log, isOnlyWriter: false };
  return [another({ store }), another({ store })].map((commands) =>
    createInvoiceActions({ commands, store, clock, settings: () => defaultStoreSettings }),
  );
};

const openBook = async () => (await openBooks())[0] ?? expect.fail('there is no book');

describe('invoice numbers', () => {
  it('begin with 1 and have no gap, however many are taken at once', async () => {
    const { takeNumber } = await openBook();
    const names = Array.from({ length: 50 }, (_, index) => idNamed(`invoice ${index}`));
    const taken = await Promise.all(names.map((id) => takeNumber(id, -1, anyMeta())));
    expect(taken.sort((a, b) => a - b)).to.deep.equal(names.map((_, index) => index + 1));
  });

  it('are found again by a repeat, which takes no second one', async () => {
    const { takeNumber, lastNumberRevision } = await openBook();
    await takeNumber(idNamed('other'), -1, anyMeta());
    const before = await lastNumberRevision();
    const taken = await takeNumber(idNamed('mine'), before, anyMeta());
    await takeNumber(idNamed('later'), before, anyMeta());
    expect(await takeNumber(idNamed('mine'), before, anyMeta())).to.equal(taken);
    expect(await lastNumberRevision()).to.equal(2);
  });

  it('are taken by a repeat that had come to none', async () => {
    const { takeNumber, lastNumberRevision } = await openBook();
    const before = await lastNumberRevision();
    expect(await takeNumber(idNamed('mine'), before, anyMeta())).to.equal(1);
  });

  it('are one for two processes that take it for the same invoice', async () => {
    const books = await openBooks();
    const taken = await Promise.all(
      books.map(async ({ takeNumber }, index) => {
        await takeNumber(idNamed(`other ${index}`), -1, anyMeta());
        return takeNumber(idNamed('mine'), -1, anyMeta());
      }),
    );
    expect(new Set(taken).size).to.equal(1);
    expect(await books[0]?.lastNumberRevision()).to.equal(2);
  });

  it('are found again, however many others have been taken since', async () => {
    const { takeNumber, lastNumberRevision } = await openBook();
    await takeNumber(idNamed('mine'), -1, anyMeta());
    const others = Array.from({ length: 2500 }, (_, index) => idNamed(`other ${index}`));
    await Promise.all(others.map((id) => takeNumber(id, 0, anyMeta())));
    expect(await takeNumber(idNamed('mine'), -1, anyMeta())).to.equal(1);
    expect(await takeNumber(idNamed('late'), -1, anyMeta())).to.equal(2502);
    expect(await lastNumberRevision()).to.equal(2501);
  });

  it('are written with the prefix of the shop and at least four digits', () => {
    expect(formatInvoiceNumber('INV-', 1)).to.equal('INV-0001');
    expect(formatInvoiceNumber('', 12_345)).to.equal('12345');
  });
});
