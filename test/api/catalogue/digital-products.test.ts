import { expect } from 'chai';
import { managing } from '#test/support/managing.ts';
import { add, manage, showBasket } from '#test/support/requests.ts';
import { body, noNewEvents } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

// docs/rules/catalogue.md#digital-products
describe('digital products', () => {
  let shop: TestShop;

  before(async () => {
    shop = await TestShop.open();
  });
  after(() => shop.close());

  const { when, make, seen } = managing(() => shop);
  const ebook = (sku: string, more: object = {}) => ({
    rootName: sku,
    sku,
    price: 5,
    isDigitalProduct: true,
    ...more,
  });

  it('are downloaded at once, as often as wanted, for as long as the store says, if nothing else is said', async () => {
    const plain = await make('/products', ebook('PLAIN'));
    expect(plain).to.deep.include({
      digitalDeliveryMethod: 'InstantDownload',
      digitalFileIds: [],
      downloadLinkExpiryDays: null,
      maxDownloadsPerLink: null,
    });
  });

  it('name their files, and how and how often they are had', async () => {
    const said = {
      digitalDeliveryMethod: 'EmailDelivered',
      digitalFileIds: ['books/tea.pdf', 'Über Tee (2).epub', '..tea'],
      downloadLinkExpiryDays: 0,
      maxDownloadsPerLink: 3,
    };
    const book = await make('/products', ebook('BOOK', { ...said, digitalDeliveryMethod: 1 }));
    expect(book).to.deep.include(said);
    await seen('/products', book);
    const { body: changed } = await when(
      manage.put(`/products/${book.id}`, { digitalDeliveryMethod: 'instantdownload', digitalFileIds: [] }),
    ).then(200);
    expect(changed).to.deep.include({
      ...said,
      digitalDeliveryMethod: 'InstantDownload',
      digitalFileIds: [],
    });
    await seen('/products', changed);
  });

  for (const path of [
    '',
    '..',
    '../secret.pdf',
    'books/../../secret.pdf',
    'books/..',
    '/etc/passwd',
    '\\\\server\\share',
    'books\\..\\..\\secret.pdf',
    'C:/secret.pdf',
    'tea.pdf\u0000.txt',
    './tea.pdf',
    'books//tea.pdf',
    'books/',
  ]) {
    it(`have no file at ${JSON.stringify(path)}, which may lead out of the folder of downloads`, async () => {
      await when(manage.post('/products', ebook('OUT', { digitalFileIds: ['fine.pdf', path] })))
        .then(400)
        .and(
          body(({ errors }) =>
            expect(errors).to.deep.equal([
              'digitalFileIds.1: must be a path below the folder of downloads, such as books/tea.pdf',
            ]),
          ),
        )
        .and(noNewEvents());
    });
  }

  for (const [field, value, problem] of [
    ['digitalFileIds', ['a.pdf', 'a.pdf'], 'must name each file once'],
    ['digitalFileIds', 'a.pdf', 'must be a list'],
    [
      'digitalFileIds',
      Array.from({ length: 101 }, (_, index) => `${index}.pdf`),
      'must have at most 100 entries',
    ],
    ['digitalDeliveryMethod', 'Post', 'must be one of InstantDownload, EmailDelivered'],
    ['digitalDeliveryMethod', 2, 'must be one of InstantDownload, EmailDelivered'],
    ['downloadLinkExpiryDays', -1, 'must be 0 or more'],
    ['downloadLinkExpiryDays', 1.5, 'must be a whole number'],
    ['maxDownloadsPerLink', -1, 'must be 0 or more'],
    ['maxDownloadsPerLink', '3', 'must be a number'],
  ] as const) {
    it(`are refused with ${field} ${JSON.stringify(value).slice(0, 40)}`, async () => {
      await when(manage.post('/products', ebook('ODD', { [field]: value })))
        .then(400)
        .and(body(({ errors }) => expect(errors).to.deep.equal([`${field}: ${problem}`])))
        .and(noNewEvents());
    });
  }
});

describe('the picture of a basket line', () => {
  let shop: TestShop;

  before(async () => {
    shop = await TestShop.open();
  });
  after(() => shop.close());

  it('is that of the variant, else that of the product, unless the variant does not want it', async () => {
    const { make } = managing(() => shop);
    const { variants } = await make('/products', {
      rootName: 'Mug',
      images: ['mug.jpg'],
      variants: [
        { sku: 'BLUE', price: 1, images: ['blue.jpg'], excludeRootImages: true },
        { sku: 'RED', price: 1 },
        { sku: 'SECRET', price: 1, excludeRootImages: true },
      ],
    });
    expect(
      variants.map(({ excludeRootImages }: { excludeRootImages: boolean }) => excludeRootImages),
    ).to.deep.equal([true, false, true]);
    const { body: basket } = await shop
      .given(...variants.map(({ id }: { id: string }) => add(id)))
      .when(showBasket())
      .then(200);
    expect(basket.lineItems.map(({ imageUrl }: { imageUrl: string }) => imageUrl)).to.deep.equal([
      'blue.jpg',
      'mug.jpg',
      null,
    ]);
  });
});
