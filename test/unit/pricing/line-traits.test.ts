import { expect } from 'chai';
import { traitsFrom, traitsOfUnsold } from '#command/pricing/line-traits.ts';
import { keysOfLine } from '#values/discount-targets.ts';
import { lineOf } from '#test/support/builders/basket.ts';
import { unpricedLine } from '#events/basket-view.ts';

describe('what targets may name of a line', () => {
  const mug = traitsOfUnsold(unpricedLine(lineOf('mug'), 1));

  it('is one object for all baskets that are sent the product from a warehouse', () => {
    const fromHull = traitsFrom(mug, 'hull', 'potter');
    expect(fromHull).to.deep.equal({ ...mug, warehouseId: 'hull', supplierId: 'potter' });
    expect(traitsFrom(mug, 'hull', 'potter')).to.equal(fromHull);
    expect(keysOfLine(traitsFrom(mug, 'hull', 'potter'))).to.equal(keysOfLine(fromHull));
    expect(keysOfLine(fromHull)).to.include.members(['hull', 'potter']);
  });

  it('is not that of another warehouse, nor of one that has come to belong to another supplier', () => {
    const fromHull = traitsFrom(mug, 'hull', 'potter');
    expect(traitsFrom(mug, 'leeds', 'potter').warehouseId).to.equal('leeds');
    expect(traitsFrom(mug, 'hull', 'weaver').supplierId).to.equal('weaver');
    expect(traitsFrom(mug, 'hull', null).supplierId).to.equal(null);
    expect(fromHull.supplierId).to.equal('potter');
  });
});
