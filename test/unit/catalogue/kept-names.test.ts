import { expect } from 'chai';
import type { ShownProduct } from '#agents/protocol-catalogue.ts';
import { createKeptNames } from '#projection/contexts/catalogue/agents/kept-names.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { productNamed, referenceOf } from '#test/support/builders/reference.ts';

const { catalogue } = referenceOf(
  productNamed('cup', { variant: { sku: 'CUP-1' } }),
  productNamed('bowl', { variant: { sku: 'BOWL-1' } }),
  productNamed('late', { variant: { sku: 'CUP-1' } }),
);
const productOf = (name: string) => {
  const product = catalogue.product(idNamed(`root ${name}`));
  if (!product) throw new Error(`no ${name}`);
  return product;
};
const shown = { variants: [] } as unknown as ShownProduct;

describe('what identifiers of the catalogue are kept as leading to', () => {
  const open = () => {
    const names = createKeptNames();
    for (const view of ['in pounds', 'in euros'])
      for (const [id, name] of [
        ['CUP-1', 'cup'],
        [idNamed('bowl'), 'bowl'],
        ['BOWL-1', 'bowl'],
      ] as const)
        names.keep(view, id, { shown, of: productOf(name) });
    const known = () => ['in pounds', 'in euros'].map((view) => [...(names.in(view)?.keys() ?? [])]);
    return { names, known };
  };

  it('goes in all views with the product, and with another one that is called so now', () => {
    const { names, known } = open();
    names.forget(productOf('late'));
    expect(known()).to.deep.equal([
      [idNamed('bowl'), 'BOWL-1'],
      [idNamed('bowl'), 'BOWL-1'],
    ]);
    names.forget(productOf('bowl'));
    expect(known()).to.deep.equal([[], []]);
  });

  it('has an end, however many hosts callers name', () => {
    const { names, known } = open();
    for (let host = 1; host <= 100; host++)
      names.keep(`host ${host}`, 'CUP-1', { shown, of: productOf('cup') });
    expect(known()).to.deep.equal([[], []]);
    expect(names.in('host 1')).to.equal(undefined);
    expect(names.in('host 100')?.size).to.equal(1);
  });
});
