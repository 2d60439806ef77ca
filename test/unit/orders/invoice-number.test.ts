import { expect } from 'chai';
import { createInvoiceActions } from '#command/contexts/orders/invoice-actions.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { anyMeta, startTestEngine } from '#test/support/engine.ts';
import { formatInvoiceNumber } from '#values/invoice-number.ts';

const openBook = async () => {
  const { engine: commands, store, clock } = await startTestEngine();
  return createInvoiceActions({ commands, store, clock });
};

describe('invoice numbers', () => {
  it('begin with 1 and have no gap, however many are taken at once', async () => {
    const { takeNumber } = await openBook();
    const names = Array.from({ length: 50 }, (_, index) => idNamed(`invoice ${index}`));
    const taken = await Promise.all(names.map((id) => takeNumber(id, -1, false, anyMeta())));
    expect(taken.sort((a, b) => a - b)).to.deep.equal(names.map((_, index) => index + 1));
  });

  it('are found again by a repeat, which takes no second one', async () => {
    const { takeNumber, lastNumberRevision } = await openBook();
    await takeNumber(idNamed('other'), -1, false, anyMeta());
    const before = await lastNumberRevision();
    const taken = await takeNumber(idNamed('mine'), before, false, anyMeta());
    await takeNumber(idNamed('later'), before, false, anyMeta());
    expect(await takeNumber(idNamed('mine'), before, true, anyMeta())).to.equal(taken);
    expect(await lastNumberRevision()).to.equal(2);
  });

  it('are taken by a repeat that had come to none', async () => {
    const { takeNumber, lastNumberRevision } = await openBook();
    const before = await lastNumberRevision();
    expect(await takeNumber(idNamed('mine'), before, true, anyMeta())).to.equal(1);
  });

  it('are written with the prefix of the shop and at least four digits', () => {
    expect(formatInvoiceNumber('INV-', 1)).to.equal('INV-0001');
    expect(formatInvoiceNumber('', 12_345)).to.equal('12345');
  });
});
