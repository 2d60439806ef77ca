import { expect } from 'chai';
import { figureAt, figuresOf, pathOf } from '#projection/engine/why/figures.ts';

const stock = {
  _id: 'mug',
  _position: 7,
  name: 'Mug',
  rows: { hull: { stock: 3, isTracked: true }, york: { stock: 4, reserved: 1 } },
};

const figure = (path: string): number | null => figureAt(stock, pathOf(path));

describe('A figure of a document', () => {
  it('is the number at its path', () => {
    expect(figure('rows.york.stock')).to.equal(4);
    expect(figure('rows.york.reserved')).to.equal(1);
  });

  it('adds up what stands in the place of *', () => {
    expect(figure('rows.*.stock')).to.equal(7);
    expect(figure('rows.*.reserved')).to.equal(1);
  });

  it('is no text, no flag, nothing that is missing, and not what the engine keeps', () => {
    for (const path of ['name', 'rows', 'rows.hull.isTracked', 'rows.leeds.stock', '_position', 'toString'])
      expect(figure(path), path).to.equal(null);
    expect([...figuresOf(stock)]).to.deep.equal(['rows.hull.stock', 'rows.york.stock', 'rows.york.reserved']);
  });
});
