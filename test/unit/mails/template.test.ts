import { expect } from 'chai';
import fc from 'fast-check';
import { compileTemplate, fillIn, TemplateError, type TemplateFormat } from '#mails/template.ts';

/** docs/rules/mails.md#templates */
describe('a template', () => {
  const filled = (
    source: string,
    notification: object,
    format: TemplateFormat = 'text',
    parts: Readonly<Record<string, string>> = {},
  ): string => {
    const template = compileTemplate(source, format, new Map(Object.entries(parts)));
    const data = { notification, store: { name: 'Harbour & Co' }, config: { from: 'shop@example.com' } };
    return fillIn(template, data).text;
  };

  it('writes what a token names: of the roots, and of the notification directly', () => {
    const source = '{{store.name}} {{config.from}} {{notification.total}} {{total}} {{ buyer.name }}';
    expect(filled(source, { total: 25.92, buyer: { name: 'Ada' } })).to.equal(
      'Harbour & Co shop@example.com 25.92 25.92 Ada',
    );
  });

  it('does not mind in which case a token is written', () => {
    expect(filled('{{STORE.Name}} {{InvoiceNumber}}', { invoiceNumber: 'INV-1' })).to.equal(
      'Harbour & Co INV-1',
    );
  });

  it('writes nothing where a token names nothing, and says which', () => {
    const template = compileTemplate('[{{missing}}][{{a.b.c}}][{{known}}]', 'text');
    const written = fillIn(template, { notification: { known: null }, store: {}, config: {} });
    expect(written.text).to.equal('[][][]');
    expect([...written.unresolved]).to.deep.equal(['missing', 'a.b.c']);
  });

  it('never reads what an object has inherited', () => {
    expect(filled('[{{constructor.name}}][{{__proto__.x}}][{{toString}}]', {})).to.equal('[][][]');
  });

  it('repeats a section for each entry of a list, whose members come first', () => {
    const lines = [
      { name: 'Mug', addons: [{ name: 'Wrap' }] },
      { name: 'Bowl', addons: [] },
    ];
    const source = '{{#lines}}{{number}}: {{name}}{{#addons}} + {{name}}{{/addons}}; {{/lines}}';
    expect(filled(source, { number: 'INV-1', lines })).to.equal('INV-1: Mug + Wrap; INV-1: Bowl; ');
    expect(filled('{{#tags}}<{{.}}>{{/tags}}', { tags: ['a', 'b'] })).to.equal('<a><b>');
  });

  it('leaves a section out where there is nothing, and writes the inverted one', () => {
    for (const discount of [undefined, null, false, '', 0, []])
      expect(filled('{{#discount}}less{{/discount}}{{^discount}}full{{/discount}}', { discount })).to.equal(
        'full',
      );
    expect(filled('{{#discount}}less {{discount}}{{/discount}}', { discount: '£2' })).to.equal('less £2');
  });

  it('gives no line to a section, or to a part, that stands in a line by itself', () => {
    const source = 'Goods:\n{{#lines}}\n{{> line}}\n{{/lines}}\nEnd\n';
    const lines = [{ name: 'Mug' }, { name: 'Bowl' }];
    expect(filled(source, { lines }, 'text', { line: '- {{name}}\n' })).to.equal(
      'Goods:\n- Mug\n- Bowl\nEnd\n',
    );
  });

  it('is refused with what is wrong', () => {
    const wrong: readonly (readonly [string, string])[] = [
      ['{{#a}}', '{{#a}}: must end with {{/a}}'],
      ['{{#a}}{{/b}}', '{{/b}}: ends a section that is not the open one'],
      ['{{/a}}', '{{/a}}: ends a section that is not the open one'],
      ['{{ two words }}', '{{ two words }}: must be {{path.to.property}} or a section'],
      ['{{> none}}', '{{> none}}: there is no part of that name'],
      ['<a href={{link}}>', '{{link}}: must stand in quotes, as in href="{{link}}"'],
      ['<a href=https://x/{{link}}>', '{{link}}: must stand in quotes, as in href="{{link}}"'],
    ];
    for (const [source, message] of wrong)
      expect(() => compileTemplate(source, 'html')).to.throw(TemplateError, message);
  });

  it('is refused where parts take in each other', () => {
    const parts = new Map([
      ['a', '{{> b}}'],
      ['b', '{{> a}}'],
    ]);
    expect(() => compileTemplate('{{> a}}', 'text', parts)).to.throw(TemplateError, 'take in each other');
  });

  it('lets a link lead to web and mail addresses only', () => {
    const link = '<a href="{{url}}">';
    expect(filled(link, { url: 'https://a.example/?b=1&c=2' }, 'html')).to.equal(
      '<a href="https://a.example/?b=1&amp;c=2">',
    );
    expect(filled(link, { url: ' javascript:alert(1)' }, 'html')).to.equal('<a href="#">');
    expect(filled(link, { url: 'data:text/html,x' }, 'html')).to.equal('<a href="#">');
  });

  it('takes a value within quotes, behind whatever stands there', () => {
    expect(filled('<a class=x href="/find?a=1&q={{q}}">', { q: 'a b' }, 'html')).to.equal(
      '<a class=x href="/find?a=1&q=a b">',
    );
  });

  it('escapes every value in HTML, wherever it comes from', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        const html = filled('<p title="{{value}}">{{value}}</p>', { value }, 'html');
        const inside = html.slice('<p title="'.length, -'</p>'.length);
        expect(inside.replace('">', '')).to.not.match(/[<>"']|&(?!(?:amp|lt|gt|quot|#39);)/);
      }),
    );
  });

  it('escapes nothing in text, where a value has one line', () => {
    expect(filled('{{value}}', { value: 'Fish & <chips>' })).to.equal('Fish & <chips>');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        expect(filled('{{value}}', { value })).to.not.match(/[\n\r\u2028\u2029\u0085\u0000]/);
      }),
    );
    expect(filled('{{value}}', { value: 'Ada\r\n1000 x GOLD\u2028To: me' })).to.equal(
      'Ada 1000 x GOLD To: me',
    );
  });

  it('does not read a value as a template', () => {
    expect(filled('{{value}}', { value: '{{store.name}}{{#a}}' })).to.equal('{{store.name}}{{#a}}');
  });
});
