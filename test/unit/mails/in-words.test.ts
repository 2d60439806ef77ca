import { expect } from 'chai';
import { goodsInWords } from '#mails/in-words.ts';

describe('goods in a mail', () => {
  const named = (name: string, selectedOptions: readonly unknown[] = []): string =>
    goodsInWords({ name, productRootName: 'Sencha', selectedOptions });

  it('are named after their product, and after the variant where its name alone tells which', () => {
    expect(named('50 g pouch')).to.equal('Sencha, 50 g pouch');
    expect(named('Sencha')).to.equal('Sencha');
    expect(named('Sencha 50 g')).to.equal('Sencha 50 g');
    expect(named('50 g pouch', [{ optionName: 'Size', valueName: '50 g' }])).to.equal('Sencha');
  });
});
