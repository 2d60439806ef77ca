import { expect } from 'chai';
import { mailTopicKeys, mailTopicRecords, mailTopicRecord } from '#mails/mail-topics.ts';
import { writtenValue, lookUp } from '#mails/look-up.ts';
import { sampleConfig, sampleStore } from '#mails/store-facts.ts';
import { tokensOfTopic } from '#mails/tokens.ts';

/** docs/rules/mails.md#topics */
describe('the topics of mails', () => {
  it('are those that staff can choose', () => {
    expect(mailTopicKeys.toSorted()).to.deep.equal([
      'checkout.abandoned',
      'checkout.abandoned.final',
      'checkout.abandoned.first',
      'checkout.abandoned.reminder',
      'checkout.converted',
      'checkout.recovered',
      'customer.created',
      'customer.password_reset',
      'customer.updated',
      'digital.delivered',
      'fulfilment.supplier_order',
      'inventory.low_stock',
      'invoice.created',
      'invoice.deleted',
      'invoice.overdue',
      'invoice.paid',
      'invoice.refunded',
      'invoice.reminder',
      'order.cancelled',
      'order.created',
      'order.status_changed',
      'payment.created',
      'payment.refunded',
      'shipment.cancelled',
      'shipment.created',
      'shipment.delivered',
      'shipment.preparing',
      'shipment.shipped',
      'shipment.updated',
      'webhook.failing',
      'webhook.gave_up',
      'webhook.recovered',
    ]);
    expect(mailTopicRecords).to.have.length(32);
  });

  for (const key of mailTopicKeys)
    it(`have tokens that name what they show: ${key}`, () => {
      const data = { notification: mailTopicRecord(key).sample, store: sampleStore, config: sampleConfig };
      for (const { path, within, sample, type } of tokensOfTopic(key)) {
        if (type === 'list' || within !== null) continue;
        expect(writtenValue(lookUp(data, path)), path).to.equal(sample ?? '');
      }
    });

  it('tell of the entries of a list within which section they are written', () => {
    const tokens = tokensOfTopic('order.created');
    expect(tokens).to.deep.include({
      token: '{{#lines}} … {{/lines}}',
      path: 'lines',
      type: 'list',
      within: null,
      sample: null,
    });
    expect(tokens).to.deep.include({
      token: '{{quantity}}',
      path: 'quantity',
      type: 'number',
      within: 'lines',
      sample: '2',
    });
  });

  it('tell nothing of the configuration but what may be told', () => {
    const told = tokensOfTopic('order.created').filter(({ path }) => path.startsWith('config.'));
    expect(told.map(({ path }) => path)).to.deep.equal([
      'config.from',
      'config.operatorEmail',
      'config.recoveryExpiryDays',
    ]);
  });
});
