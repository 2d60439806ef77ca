import { expect } from 'chai';
import { createInvoiceNumbers } from '#command/contexts/orders/numbers/invoice-numbers.actions.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { anyMeta, startTestEngine, testStreams } from '#test/support/engine.ts';
import { formatInvoiceNumber } from '#values/invoice-number.ts';

/** The books of two processes. */
const openBooks = async () => {
  const { another, store: log, clock } = await startTestEngine();
  const store = { ...log, isOnlyWriter: false };
  return [another({ store }), another({ store })].map((commands) =>
    createInvoiceNumbers({ streams: testStreams(commands, clock), store }),
  );
};

const openBook = async () => (await openBooks())[0] ?? expect.fail('there is no book');

describe('invoice numbers', () => {
  it('start at 1 without gaps, however many are taken at once', async () => {
    const { take } = await openBook();
    const names = Array.from({ length: 50 }, (_, index) => idNamed(`invoice ${index}`));
    const taken = await Promise.all(names.map((id) => take(id, -1, anyMeta())));
    expect(taken.sort((a, b) => a - b)).to.deep.equal(names.map((_, index) => index + 1));
  });

  it('are found again by a repeat, which takes no second one', async () => {
    const { take, lastRevision } = await openBook();
    await take(idNamed('other'), -1, anyMeta());
    const before = await lastRevision();
    const taken = await take(idNamed('mine'), before, anyMeta());
    await take(idNamed('later'), before, anyMeta());
    expect(await take(idNamed('mine'), before, anyMeta())).to.equal(taken);
    expect(await lastRevision()).to.equal(2);
  });

  it('are taken by a repeat that had come to none', async () => {
    const { take, lastRevision } = await openBook();
    const before = await lastRevision();
    expect(await take(idNamed('mine'), before, anyMeta())).to.equal(1);
  });

  it('are one for two processes that take it for the same invoice', async () => {
    const books = await openBooks();
    const taken = await Promise.all(
      books.map(async ({ take }, index) => {
        await take(idNamed(`other ${index}`), -1, anyMeta());
        return take(idNamed('mine'), -1, anyMeta());
      }),
    );
    expect(new Set(taken).size).to.equal(1);
    expect(await books[0]?.take(idNamed('next'), 2, anyMeta())).to.equal(4);
  });

  it('are found again, however many others have been taken since', async () => {
    const { take, lastRevision } = await openBook();
    await take(idNamed('mine'), -1, anyMeta());
    const others = Array.from({ length: 2500 }, (_, index) => idNamed(`other ${index}`));
    await Promise.all(others.map((id) => take(id, 0, anyMeta())));
    expect(await take(idNamed('mine'), -1, anyMeta())).to.equal(1);
    expect(await take(idNamed('late'), -1, anyMeta())).to.equal(2502);
    expect(await lastRevision()).to.equal(2501);
  });

  it('are written with the prefix of the shop and at least four digits', () => {
    expect(formatInvoiceNumber('INV-', 1)).to.equal('INV-0001');
    expect(formatInvoiceNumber('', 12_345)).to.equal('12345');
  });
});
