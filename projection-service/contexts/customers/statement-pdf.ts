import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import PDFDocument from 'pdfkit';
import type { StatementResponse } from '#contracts/account-terms.contract.ts';
import { businessDay } from '#values/business-day.ts';
import { formatMoney, toMinor } from '#values/money.ts';

interface Printing {
  readonly storeName: string;
  readonly timeZone: string;
}

type Pdf = InstanceType<typeof PDFDocument>;

// The fonts that every reader of PDF has know no letters outside of Western Europe.
const fonts = {
  plain: fileURLToPath(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf')),
  bold: fileURLToPath(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf')),
};
const plain = 'plain';
const bold = 'bold';

const MARGIN = 48;
const ROW = 16;
const SIZE = 8;
/** Rows that are written before others have their turn. */
const ROWS_A_TURN = 25;

interface Column {
  readonly title: string;
  readonly x: number;
  readonly width: number;
  readonly isMoney?: true;
}

/** Of A4, between its margins: 499 points. */
const columns: readonly Column[] = [
  { title: 'Date', x: 0, width: 56 },
  { title: 'Type', x: 58, width: 46 },
  { title: 'Reference', x: 106, width: 92 },
  { title: 'Description', x: 200, width: 110 },
  { title: 'Debit', x: 312, width: 60, isMoney: true },
  { title: 'Credit', x: 374, width: 60, isMoney: true },
  { title: 'Balance', x: 436, width: 63, isMoney: true },
];

/** One line, cut where its column ends. */
const cell = (pdf: Pdf, text: string, { x, width, isMoney }: Omit<Column, 'title'>, y: number): void => {
  const options = { width, height: ROW, ellipsis: true } as const;
  pdf.text(text, MARGIN + x, y, { ...options, align: isMoney ? 'right' : 'left' });
};

const row = (pdf: Pdf, texts: readonly string[], y: number): void =>
  columns.forEach((column, index) => cell(pdf, texts[index] ?? '', column, y));

const rule = (pdf: Pdf, y: number): void => {
  pdf
    .moveTo(MARGIN, y)
    .lineTo(pdf.page.width - MARGIN, y)
    .lineWidth(0.5)
    .stroke('#999999');
};

const tableHead = (pdf: Pdf, y: number): number => {
  pdf.font(bold).fontSize(SIZE);
  row(
    pdf,
    columns.map(({ title }) => title),
    y,
  );
  rule(pdf, y + ROW - 4);
  pdf.font(plain);
  return y + ROW;
};

/** The next row's place, on the next page where this one is full. */
const placeFor = (pdf: Pdf, y: number, rows = 1): number => {
  if (y + rows * ROW <= pdf.page.height - MARGIN) return y;
  pdf.addPage();
  return tableHead(pdf, MARGIN);
};

const heading = (pdf: Pdf, statement: StatementResponse, storeName: string): number => {
  const { customerName, customerEmail, currencyCode, startDate, endDate } = statement;
  pdf.font(bold).fontSize(16).text(storeName, MARGIN, MARGIN);
  pdf.fontSize(12).text('Statement of account').moveDown(0.5);
  pdf.font(plain).fontSize(9).text(customerName);
  if (customerEmail !== null) pdf.text(customerEmail);
  pdf.text(`${startDate} to ${endDate}, in ${currencyCode}`);
  return pdf.y + ROW;
};

const ageingTable = (
  pdf: Pdf,
  { ageing }: StatementResponse,
  money: (amount: number) => string,
  at: number,
): void => {
  const y = placeFor(pdf, at + ROW, 4);
  const ages = [
    ['Up to 30 days', ageing.current],
    ['31 to 60 days', ageing.thirtyPlus],
    ['61 to 90 days', ageing.sixtyPlus],
    ['More than 90 days', ageing.ninetyPlus],
    ['Total', ageing.total],
  ] as const;
  pdf.font(bold).fontSize(SIZE);
  cell(pdf, 'Still to be paid, by days past due', { x: 0, width: 300 }, y);
  ages.forEach(([title, amount], index) => {
    const column = { x: index * 100, width: 99, isMoney: true } as const;
    pdf.font(bold);
    cell(pdf, title, column, y + ROW);
    pdf.font(plain);
    cell(pdf, money(amount), column, y + 2 * ROW);
  });
};

const print = async (
  pdf: Pdf,
  statement: StatementResponse,
  { storeName, timeZone }: Printing,
): Promise<void> => {
  const { currencyCode: currency } = statement;
  const money = (amount: number): string => formatMoney(toMinor(amount, currency), currency);
  // An empty column says nothing of money.
  const orNothing = (amount: number): string => (amount === 0 ? '' : money(amount));
  let y = tableHead(pdf, heading(pdf, statement, storeName));
  row(pdf, [statement.startDate, '', '', 'Opening balance', '', '', money(statement.openingBalance)], y);
  y += ROW;
  for (const [index, line] of statement.lines.entries()) {
    if (pdf.destroyed) return;
    if (index % ROWS_A_TURN === 0) await nextTurn();
    y = placeFor(pdf, y);
    const { type, reference, description, debit, credit, balance } = line;
    const day = businessDay(Date.parse(line.date), timeZone);
    const amounts = [orNothing(debit), orNothing(credit), money(balance)];
    row(pdf, [day, type, reference, description, ...amounts], y);
    y += ROW;
  }
  y = placeFor(pdf, y);
  pdf.font(bold);
  row(pdf, [statement.endDate, '', '', 'Closing balance', '', '', money(statement.closingBalance)], y);
  ageingTable(pdf, statement, money, y + ROW);
};

/** A statement on A4, as it is printed: it comes while it is written. */
export const statementPdf = (statement: StatementResponse, printing: Printing): Readable => {
  const { storeName } = printing;
  const pdf = new PDFDocument({
    size: 'A4',
    margin: MARGIN,
    font: fonts.plain,
    info: { Title: `Statement ${statement.startDate} to ${statement.endDate}`, Author: storeName },
  });
  pdf.registerFont(plain, fonts.plain);
  pdf.registerFont(bold, fonts.bold);
  print(pdf, statement, printing).then(
    () => {
      // The caller may have gone away.
      if (!pdf.destroyed) pdf.end();
    },
    (error: unknown) => pdf.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  return pdf as unknown as Readable;
};
