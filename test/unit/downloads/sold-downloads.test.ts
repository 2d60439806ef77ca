import { expect } from 'chai';
import { upcast } from '#events/upcasters.ts';
import { soldDownloads } from '#reference/sold-downloads.ts';
import { defaultStoreSettings } from '#values/store-settings.ts';
import { productOnSale } from '#test/support/builders/product.ts';

// docs/rules/downloads.md#links
describe('how often a file may be downloaded, and how long', () => {
  const soldAs = (product: object, store: object) => {
    const { root, variants } = productOnSale('book', { price: 500, taxGroupId: null, isTracked: false });
    const digital = { ...root, isDigitalProduct: true, digitalFileIds: ['tea.pdf'], ...product };
    const catalogue = { product: () => ({ id: 'book', root: digital, variants }) };
    const sold = soldDownloads({ catalogue } as never, () => ({ ...defaultStoreSettings, ...store }));
    const { maxDownloads, expiryDays } = sold('book') ?? expect.fail('nothing is sold');
    return [maxDownloads, expiryDays];
  };

  it('is what the product says, else what the store says', () => {
    expect(soldAs({}, {})).to.deep.equal([0, 30]);
    const store = { maxDownloadsPerLink: 5, downloadLinkExpiryDays: 7 };
    expect(soldAs({}, store)).to.deep.equal([5, 7]);
    expect(soldAs({ maxDownloadsPerLink: 3, downloadLinkExpiryDays: 14 }, store)).to.deep.equal([3, 14]);
    expect(soldAs({ maxDownloadsPerLink: 0, downloadLinkExpiryDays: 0 }, store)).to.deep.equal([0, null]);
    expect(soldAs({}, { downloadLinkExpiryDays: -1 })).to.deep.equal([0, null]);
  });

  it('is what the store says where a product of an older release said 0', () => {
    const limitOf = (maxDownloadsPerLink: number): unknown => {
      const lifted = upcast('ProductCreated', { root: { maxDownloadsPerLink }, variants: [] }, 2, 3);
      return (lifted as { root: object }).root;
    };
    expect([0, 3].map(limitOf)).to.deep.equal([{ maxDownloadsPerLink: null }, { maxDownloadsPerLink: 3 }]);
  });
});
