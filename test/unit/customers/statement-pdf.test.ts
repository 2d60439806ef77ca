import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { statementPdf } from '#projection/contexts/customers/statement-pdf.ts';

const ageing = { current: 1, thirtyPlus: 2, sixtyPlus: 3, ninetyPlus: 4_000_000.5, total: 4_000_006.5 };
const line = (index: number) => ({
  date: '2026-02-01T10:00:00.000Z',
  type: 'Invoice' as const,
  reference: `INV-${index} ${'with a reference that is much too long for its column '.repeat(index % 2)}`,
  description: 'Invoice, your order Заказ № 王 📦',
  debit: 9_999_999_999.99,
  credit: 0,
  balance: 9_999_999_999.99,
});
const printed = async (lines: number): Promise<string> => {
  const statement = {
    ...{ customerId: 'id', customerName: 'Ада Λόβλεϊς 王 ‏عائشة', customerEmail: null, currencyCode: 'EUR' },
    ...{ startDate: '2026-02-01', endDate: '2026-02-28', openingBalance: 0, closingBalance: -3.5, ageing },
    lines: Array.from({ length: lines }, (_, index) => line(index)),
  };
  const printing = { storeName: 'Töpferei & Söhne', timeZone: 'UTC' };
  return (await buffer(statementPdf(statement, printing))).toString('latin1');
};
const pagesOf = (pdf: string): number => [...pdf.matchAll(/\/Type \/Page\b/g)].length;

// docs/rules/account-terms.md#statement
describe('A printed statement', () => {
  for (const [lines, pages] of [
    [0, 1],
    [30, 1],
    [40, 2],
    [200, 5],
  ] as const)
    it(`of ${lines} lines has ${pages} page${pages === 1 ? '' : 's'}, in letters of any alphabet`, async () => {
      const pdf = await printed(lines);
      expect(pdf)
        .to.match(/^%PDF-/)
        .and.match(/%%EOF\s*$/);
      expect(pagesOf(pdf)).to.equal(pages);
      // Letters of its own: those that every reader has end with Western Europe.
      expect(pdf).to.include('DejaVuSans');
    });

  it('is not written to the end once its reader has gone', async () => {
    const statement = statementPdf(
      {
        ...{ customerId: 'id', customerName: 'Ada', customerEmail: null, currencyCode: 'EUR' },
        ...{ startDate: '2026-02-01', endDate: '2026-02-28', openingBalance: 0, closingBalance: 0, ageing },
        lines: Array.from({ length: 500 }, (_, index) => line(index)),
      },
      { storeName: 'Shop', timeZone: 'UTC' },
    );
    statement.destroy();
    await new Promise((resolve) => statement.once('close', resolve));
    expect(statement.readableEnded).to.equal(false);
  });
});
