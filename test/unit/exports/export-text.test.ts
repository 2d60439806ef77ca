import { expect } from 'chai';
import type { ExportFormat } from '#contracts/export.contract.ts';
import { exportText } from '#projection/engine/exports/export-text.ts';
import { acceptedFormat } from '#projection/engine/exports/export-route.ts';
import type { ExportRow } from '#projection/engine/exports/export.ts';

const columns = ['number', 'name', 'total', 'lines'];
const ada = { number: 'INV-0001', name: 'Ada', total: 26.4, lines: [{ sku: 'mug' }] };
const bea = { number: 'INV-0002', name: null, total: -5, lines: [] };

/** The text of an export whose rows are read page by page. */
const textOf = (format: ExportFormat, ...pages: readonly (readonly ExportRow[])[]): string => {
  let rowsBefore = 0;
  return pages
    .map((rows, page) => {
      const stretch = { columns, isFirst: page === 0, isLast: page === pages.length - 1, rowsBefore };
      rowsBefore += rows.length;
      return exportText(format, rows, stretch);
    })
    .join('');
};

// docs/rules/exports.md#formats
describe('The text of an export', () => {
  it('is the same however its rows fall into pages, empty ones among them', () => {
    for (const format of ['json', 'csv', 'ndjson'] as const) {
      const whole = textOf(format, [ada, bea]);
      expect(textOf(format, [ada], [bea])).to.equal(whole);
      expect(textOf(format, [], [ada], [], [bea], [])).to.equal(whole);
    }
  });

  it('is a list in JSON, and a row a line in NDJSON', () => {
    expect(JSON.parse(textOf('json', [ada], [bea]))).to.deep.equal([ada, bea]);
    expect(JSON.parse(textOf('json', [], []))).to.deep.equal([]);
    const lines = textOf('ndjson', [ada, bea]).split('\n');
    expect(lines.map((line) => (line === '' ? null : JSON.parse(line)))).to.deep.equal([ada, bea, null]);
    expect(textOf('ndjson', [])).to.equal('');
  });

  it('begins with the names of the columns in CSV; lists stand in a cell as JSON', () => {
    expect(textOf('csv', [])).to.equal('number,name,total,lines\r\n');
    expect(textOf('csv', [ada, bea])).to.equal(
      'number,name,total,lines\r\n' +
        'INV-0001,Ada,26.4,"[{""sku"":""mug""}]"\r\n' + //
        'INV-0002,,-5,[]\r\n',
    );
  });

  it('puts cells with commas, quotation marks and line breaks in quotation marks', () => {
    const named = (name: string): string => textOf('csv', [{ name }]).split('\r\n').slice(1).join('\r\n');
    expect(named('Smith, John')).to.equal(',"Smith, John",,\r\n');
    expect(named('The "Mug" shop')).to.equal(',"The ""Mug"" shop",,\r\n');
    expect(named('one\ntwo')).to.equal(',"one\ntwo",,\r\n');
    expect(named('one\rtwo')).to.equal(',"one\rtwo",,\r\n');
  });

  it('has no formulas: texts that a spreadsheet would calculate are texts there; numbers stay numbers', () => {
    const formulas = ['=1+1', '+44', '-5', '@me', '\t=1', '\ttext', '\rtext', ' =1', '\uFEFF=1'];
    for (const formula of formulas) {
      const [, , , row] = /^(.*)\r\n(,)("?)(.*)$/s.exec(textOf('csv', [{ name: formula }])) ?? [];
      expect(textOf('csv', [{ name: formula }]), formula).to.contain(`'${formula}`);
      expect(row, formula).to.be.a('string');
    }
    expect(textOf('csv', [{ total: -5 }])).to.contain(',,-5,');
  });
});

describe('The format of an export', () => {
  it('is what Accept likes best of JSON, CSV and NDJSON; JSON where it says nothing of them', () => {
    expect(acceptedFormat(undefined)).to.equal('json');
    expect(acceptedFormat('*/*')).to.equal('json');
    expect(acceptedFormat('text/csv')).to.equal('csv');
    expect(acceptedFormat('text/html, Text/CSV; q=0.5, */*;q=0.1')).to.equal('csv');
    expect(acceptedFormat('application/x-ndjson')).to.equal('ndjson');
    expect(acceptedFormat('text/csv;q=0.2, application/x-ndjson;q=0.8')).to.equal('ndjson');
    expect(acceptedFormat('application/json, text/csv')).to.equal('json');
    expect(acceptedFormat('text/csv;q=0')).to.equal('json');
    expect(acceptedFormat('image/png')).to.equal('json');
  });
});
