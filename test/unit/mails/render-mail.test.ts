import { expect } from 'chai';
import fc from 'fast-check';
import { defaultMailConfigurations } from '#mails/default-configurations.ts';
import type { MailConfiguration } from '#mails/mail-configuration.ts';
import { sampleConfig } from '#mails/store-facts.ts';
import { mailTopicRecord } from '#mails/mail-topics.ts';
import { renderMail } from '#mails/render-mail.ts';
import { compileTemplate } from '#mails/template.ts';
import { createMailTemplates } from '#runtime/mail-templates.ts';

/** docs/rules/mails.md#recipients */
describe('a mail', () => {
  const template = {
    text: compileTemplate('Hello {{name}}', 'text'),
    html: compileTemplate('<p>Hello {{name}}</p>', 'html'),
  };
  const [shipped] = defaultMailConfigurations as readonly [MailConfiguration, ...MailConfiguration[]];
  const rendered = (settings: Partial<MailConfiguration>, notification: object) =>
    renderMail({ ...shipped, ...settings }, template, {
      notification,
      store: { name: 'Harbour & Co' },
      config: {},
    });
  const sent = (settings: Partial<MailConfiguration>, notification: object) => {
    const mail = rendered(settings, notification);
    if (mail.kind === 'failed') throw new Error(`${mail.field}: ${mail.reason}`);
    return mail;
  };

  it('goes to those whom its expressions name', () => {
    const mail = sent(
      {
        toExpression: '{{name}} <{{customerEmail}}>; second@example.com',
        ccExpression: '{{billing.email}}',
        bccExpression: 'books@example.com',
        fromExpression: '"Harbour, sales" <sales@example.com>',
        subjectExpression: 'Order {{number}} at {{store.name}}',
      },
      { name: 'Ada', customerEmail: 'ada@example.com', billing: { email: null }, number: 'INV-1' },
    );
    expect(mail.to).to.deep.equal(['"Ada" <ada@example.com>', 'second@example.com']);
    expect(mail.cc).to.deep.equal([]);
    expect(mail.bcc).to.deep.equal(['books@example.com']);
    expect(mail.from).to.equal('"Harbour sales" <sales@example.com>');
    expect(mail.subject).to.equal('Order INV-1 at Harbour & Co');
    expect(mail.text).to.equal('Hello Ada');
    expect(mail.html).to.equal('<p>Hello Ada</p>');
  });

  it('fails where its recipient is not known, and names no person in the reason', () => {
    for (const notification of [{}, { customerEmail: null }, { customerEmail: ' ' }])
      expect(rendered({}, notification)).to.deep.equal({
        kind: 'failed',
        field: 'to',
        reason: '{{customerEmail}} names no recipient',
      });
    expect(rendered({}, { customerEmail: 'Ada Lovelace' })).to.deep.equal({
      kind: 'failed',
      field: 'to',
      reason: '{{customerEmail}} must be one e-mail address',
    });
  });

  const hostile = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc
      .tuple(
        fc.constantFrom('ada@example.com', 'Ada', ''),
        fc.constantFrom('\r\n', '\n', ',', ';', ' ', '<', '>', '"', ':', '\u2028', '\0', '%0a'),
        fc.constantFrom('Bcc: eve@example.com', 'eve@example.com', '<eve@example.com>', '"'),
      )
      .map((parts) => parts.join('')),
  );

  it('gets no further recipient from a value', () => {
    fc.assert(
      fc.property(hostile, (value) => {
        const mail = rendered({ toExpression: '{{value}}', ccExpression: '{{value}}' }, { value });
        if (mail.kind === 'failed') return;
        for (const addresses of [mail.to, mail.cc]) {
          expect(addresses).to.have.length(1);
          expect(addresses[0]).to.match(/^[^\s@,;:<>"()[\]\\]+@[^\s@,;:<>"()[\]\\]+$/u);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('gets no further recipient from a name either', () => {
    fc.assert(
      fc.property(hostile, (value) => {
        const mail = sent({ toExpression: '{{value}} <ada@example.com>' }, { value });
        expect(mail.to).to.have.length(1);
        expect(mail.to[0]).to.match(
          /^(?:"[^"\\<>,;:@\r\n\u2028\u2029\0]+" <ada@example\.com>|ada@example\.com)$/,
        );
      }),
      { numRuns: 500 },
    );
  });

  it('has a subject of one line, whatever is in it', () => {
    fc.assert(
      fc.property(hostile, (value) => {
        const { subject } = sent(
          { toExpression: 'ada@example.com', subjectExpression: 'Order {{value}}' },
          { value },
        );
        expect(subject)
          .to.match(/^Order/)
          .and.not.match(/[\r\n\u2028\u2029\u0085\u0000]/);
        expect(subject.length).to.be.at.most(250);
      }),
      { numRuns: 500 },
    );
  });

  describe('that is shipped', () => {
    const templates = createMailTemplates('no-such-folder');
    const store = { name: 'Harbour & Co', websiteUrl: 'https://shop.example.com' };

    for (const configuration of defaultMailConfigurations)
      it(`can be written with everything that ${configuration.topic} says`, async () => {
        const { sample: notification } = mailTopicRecord(configuration.topic);
        const own = await templates.load(configuration.templatePath);
        const mail = renderMail(configuration, own, { notification, store, config: sampleConfig });
        if (mail.kind === 'failed') throw new Error(`${mail.field}: ${mail.reason}`);
        expect(mail.unresolved).to.deep.equal([]);
        expect(mail.subject).to.not.match(/\{\{/);
        expect(mail.html).to.include('Harbour &amp; Co').and.not.include('<img').and.not.include('href="#"');
        expect(mail.text).to.include('Harbour & Co').and.not.match(/\n{3}/);
        expect(mail.text).to.match(/^\S/).and.match(/\S\n$/);
      });

    it('tells a buyer number, lines, totals, address and what goes well with it', async () => {
      const { sample: notification } = mailTopicRecord('order.created');
      const own = await templates.load('order-confirmation');
      const mail = renderMail(shipped, own, { notification, store, config: {} });
      if (mail.kind === 'failed') throw new Error(mail.reason);
      expect(mail.text).to.equal(
        [
          'Hello Ada Lovelace,',
          '',
          'Thank you for your order INV-0001 of 1 March 2026. We will let you know when it is on its way.',
          '',
          '2 x Stoneware mug (Colour: blue): £18.00',
          '  + Gift wrap: £1.60',
          '',
          'Subtotal: £19.60',
          'Discount: -£2.00',
          'Shipping: £4.00',
          'Tax: £4.32',
          'Total: £25.92',
          '',
          'Delivery address:',
          'Ada Lovelace',
          '12 St James’s Square',
          'London SW1Y 4JH',
          'United Kingdom',
          '',
          'Delivery: Royal Mail Tracked 48',
          '',
          'Billing address:',
          'Ada Lovelace',
          '12 St James’s Square',
          'London SW1Y 4JH',
          'United Kingdom',
          '',
          'Goes well with it:',
          '- Teapot, £24.00: https://shop.example.com/products/teapot',
          '',
          '--',
          'Harbour & Co',
          'https://shop.example.com',
          '',
        ].join('\n'),
      );
    });
  });
});
