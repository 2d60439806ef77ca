import { expect } from 'chai';
import { csvRecords } from '#command/contexts/catalogue/csv/csv-records.ts';
import type { CsvIssue, CsvProfile } from '#command/contexts/catalogue/csv/product-csv.ts';
import type { ReadProduct } from '#command/contexts/catalogue/csv/product-draft.ts';
import { createProductReader } from '#command/contexts/catalogue/csv/read-product-rows.ts';
import { guarded, unguarded } from '#values/csv.ts';

const read = async (text: string, profile: CsvProfile = 'strict'): Promise<readonly ReadProduct[]> => {
  const reader = createProductReader({ profile, currency: 'GBP' });
  const found: ReadProduct[] = [];
  for await (const record of csvRecords([text])) {
    if ('severity' in record) found.push({ draft: null, issues: [record], rows: 0 });
    else found.push(...reader.take(record));
  }
  return [...found, ...reader.end()];
};

const issuesIn = async (text: string, profile?: CsvProfile): Promise<readonly CsvIssue[]> =>
  (await read(text, profile)).flatMap(({ issues }) => issues);

/** Lines of a file, each given as `line`, `column` and what stands in the cells. */
const head = 'Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price';

const faults: readonly (readonly [
  what: string,
  file: string,
  found: readonly [code: string, line: number, column: string | null],
  profile?: CsvProfile,
])[] = [
  ['a column twice', 'Handle,Title,Title\ncup,Cup,Cup', ['column-repeated', 1, 'Title']],
  ['a quotation mark that is never closed', `${head}\ncup,"Cup,,,C,1\n`, ['csv-malformed', 2, null]],
  ['text after a closing quotation mark', `${head}\ncup,"Cup"x,,,C,1`, ['csv-malformed', 2, null]],
  ['a quotation mark within a cell', `${head}\ncup,Cup 5",,,C,1`, ['csv-malformed', 2, null]],
  ['more cells than columns', `${head}\ncup,Cup,,,C,1,2`, ['too-many-cells', 2, null]],
  ['no handle', `${head}\n,Cup,,,C,1`, ['handle-missing', 2, 'Handle']],
  ['a handle that is no address', `${head}\nc/up,Cup,,,C,1`, ['invalid-value', 2, 'Handle']],
  [
    'rows of a handle apart',
    `${head}\ncup,Cup,,,C,1\nbowl,Bowl,,,B,1\ncup,,,,D,1`,
    ['handle-split', 4, 'Handle'],
  ],
  ['a title of 251 characters', `${head}\ncup,${'x'.repeat(251)},,,C,1`, ['invalid-value', 2, 'Title']],
  ['a price in words', `${head}\ncup,Cup,,,C,ten`, ['not-a-number', 2, 'Variant Price']],
  ['a negative price', `${head}\ncup,Cup,,,C,-1`, ['invalid-value', 2, 'Variant Price']],
  ['a price with three decimals', `${head}\ncup,Cup,,,C,1.999`, ['invalid-value', 2, 'Variant Price']],
  [
    'a price in the second row of a product whose title has lines',
    `${head}\ncup,"Cup\nof tea",Size,S,C,1\ncup,,,M,D,1 GBP`,
    ['not-a-number', 4, 'Variant Price'],
  ],
  [
    'a wrong cell behind one with lines of its own',
    `${head}\ncup,"Cup\r\nof tea",,,C,ten`,
    ['not-a-number', 3, 'Variant Price'],
  ],
  [
    'no value of an option',
    `${head}\ncup,Cup,Size,S,C,1\ncup,,,,D,1`,
    ['option-value-missing', 3, 'Option1 Value'],
  ],
  ['a value without an option', `${head}\ncup,Cup,,S,C,1`, ['option-name-missing', 2, 'Option1 Name']],
  [
    'the same values twice',
    `${head}\ncup,Cup,Size,S,C,1\ncup,,,s,D,1`,
    ['variant-repeated', 3, 'Option1 Value'],
  ],
  ['a SKU twice', `${head}\ncup,Cup,,,C,1\nbowl,Bowl,,,C,1`, ['sku-repeated', 3, 'Variant SKU']],
  [
    'a quantity that is not whole',
    'Handle,Title,Variant Inventory Qty\ncup,Cup,1.5',
    ['not-a-whole-number', 2, 'Variant Inventory Qty'],
  ],
  [
    'a negative quantity',
    'Handle,Title,Variant Inventory Qty\ncup,Cup,-1',
    ['quantity-negative', 2, 'Variant Inventory Qty'],
  ],
  ['a negative weight', 'Handle,Title,Variant Grams\ncup,Cup,-5', ['grams-out-of-range', 2, 'Variant Grams']],
  ['perhaps published', 'Handle,Title,Published\ncup,Cup,perhaps', ['not-true-or-false', 2, 'Published']],
  ['an unknown status', 'Handle,Title,Status\ncup,Cup,sold', ['status-unknown', 2, 'Status']],
  [
    'an image before the first place',
    'Handle,Title,Image Src,Image Position\ncup,Cup,a.png,1\ncup,,b.png,0',
    ['image-position', 3, 'Image Position'],
  ],
  [
    'an address of an image of 251 characters',
    `Handle,Title,Image Src\ncup,Cup,a.png\ncup,,${'x'.repeat(251)}`,
    ['invalid-value', 3, 'Image Src'],
  ],
  [
    'one variant that is shipped and one that is not',
    'Handle,Title,Option1 Name,Option1 Value,Variant Requires Shipping\ncup,Cup,Size,S,TRUE\ncup,,,M,FALSE',
    ['shipping-differs', 3, 'Variant Requires Shipping'],
  ],
  [
    'JSON that is none',
    'Handle,Title,Tillroll Product\ncup,Cup,{oops}',
    ['not-json', 2, 'Tillroll Product'],
    'extended',
  ],
  [
    'a field of JSON that is wrong',
    'Handle,Title,Tillroll Variant\ncup,Cup,"{""hsCode"":5}"',
    ['invalid-value', 2, 'Tillroll Variant'],
    'extended',
  ],
];

describe('A product file', () => {
  for (const [what, file, [code, line, column], profile] of faults) {
    it(`with ${what} is refused with line and column`, async () => {
      const issues = await issuesIn(file, profile);
      const found = issues.map((issue) => [issue.severity, issue.code, issue.line, issue.column]);
      expect(found).to.deep.equal([['error', code, line, column]]);
    });
  }

  it('may have columns that are ignored, with a warning', async () => {
    const issues = await issuesIn('Handle,Title,Gift Card\ncup,Cup,false');
    expect(issues.map(({ severity, code, column }) => [severity, code, column])).to.deep.equal([
      ['warning', 'column-ignored', 'Gift Card'],
    ]);
  });

  it('may have more rows for a product’s other variants or images', async () => {
    const columns = 'Handle,Title,Option1 Name,Option1 Value,Variant Price,Image Src,Image Position';
    const rows = ['tee,Tee,Size,Small,10,b.png,2', 'tee,,,Extra Large,12,,', 'tee,,,,,a.png,1'];
    const [, product] = await read([columns, ...rows].join('\r\n'));
    expect(product?.draft?.given).to.deep.include({ rootUrl: 'tee', images: ['a.png', 'b.png'] });
    expect(product?.draft?.given.variants.map(({ sku, price }) => [sku, price])).to.deep.equal([
      ['tee-small', 1000],
      ['tee-extra-large', 1200],
    ]);
  });

  it('keeps formulas as text, and all other text unchanged', () => {
    const formulas = [
      '=1+1',
      '+44',
      '-5',
      '@me',
      ' =1',
      '\t=1',
      '\ttext',
      '\rtext',
      "'\ttext",
      '\r\n+1',
      '\uFEFF=1',
      '\u00a0@me',
      "'=x",
      "''-",
      " '=x",
    ];
    for (const text of formulas) {
      expect(guarded(text)).to.equal(`'${text}`);
      expect(unguarded(guarded(text))).to.equal(text);
    }
    for (const text of ["'quoted'", 'plain', '', "' x", '1-1']) {
      expect(guarded(text)).to.equal(text);
      expect(unguarded(text)).to.equal(text);
    }
  });
});
