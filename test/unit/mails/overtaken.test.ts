import { expect } from 'chai';
import { findMails } from '#dispatcher/contexts/mails/mail-rows.ts';
import { defaultMailConfigurations } from '#mails/default-configurations.ts';
import { mailPreferenceId } from '#runtime/mail-preferences.ts';
import { createUnsubscribeTokens } from '#runtime/unsubscribe-tokens.ts';
import { streamOf } from '#values/stream-name.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { applicationKey, openMails, type OpenMails } from '#test/support/open-mails.ts';
import { appendPlain } from '#test/support/plain-log.ts';

const at = '2026-03-01T12:00:00.000Z';
const email = 'ada@example.com';
const [basketId, recordId] = [idNamed('basket'), idNamed('record')];
const figures = {
  ...{ currency: 'GBP', total: 1800, storeCurrency: 'GBP', totalInStoreCurrency: 1800 },
  ...{ rate: '1', lineCount: 1 },
};
const due = {
  ...{ basketId, openedAt: at, openedDay: '2026-03-01', firstAbandonedAt: at, customerId: null },
  ...{ email, customerName: 'Ada', sequence: 1, kind: 'first', mailsSent: 1, requestedBy: 'schedule' },
  ...{
    requestedAt: at,
    abandonedAt: at,
    figures,
    lines: [],
    link: { number: 1, issuedAt: at, expiresAt: at },
  },
};

const recoveryMails = defaultMailConfigurations.filter(({ topic }) =>
  topic.startsWith('checkout.abandoned.'),
);

// docs/rules/mail-deliveries.md#overtaken
describe('A recovery mail', () => {
  let shop: OpenMails;
  beforeEach(async () => {
    shop = await openMails();
  });
  afterEach(() => shop.close());

  /** It is due, and then something else happens before it is handed over. */
  const after = async (stream?: string, type?: string): Promise<void> => {
    await shop.queue();
    for (const { id, isDefault: _, dateCreated: __, dateUpdated: ___, ...settings } of recoveryMails) {
      const on = { type: 'MailConfigurationChanged', data: { ...settings, isEnabled: true, at } };
      await appendPlain(shop.store, streamOf.mailConfiguration(id), [on]);
    }
    await appendPlain(shop.store, streamOf.abandonedCheckout(recordId), [
      { type: 'RecoveryMailRequested', data: due },
    ]);
    if (stream && type) await appendPlain(shop.store, stream, [{ type, data: { at } }]);
    await shop.settle(await shop.dispatcher());
  };

  it('goes out with its links, and says to mailboxes how it is ended with one click', async () => {
    await after();
    const [mail] = shop.sent;
    expect(mail?.to).to.deep.equal([email]);
    expect(mail?.text)
      .to.contain(`https://shop/recover/${recordId}/1`)
      .and.contain('https://shop/unsubscribe/token');
    expect(mail?.headers).to.deep.equal({
      'List-Unsubscribe': '<https://shop/unsubscribe/token>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    });
  });

  const { hashOf } = createUnsubscribeTokens(applicationKey);
  const record = streamOf.abandonedCheckout(recordId);
  for (const [what, stream, type] of [
    ['is resumed', record, 'CheckoutResumed'],
    ['is recovered', record, 'CheckoutRecovered'],
    ['is bought', record, 'CheckoutConverted'],
    ['has expired', record, 'CheckoutRecoveryExpired'],
    ['is cleared', record, 'AbandonedBasketLost'],
    ['is bought, which its record has not heard of yet', streamOf.basket(basketId), 'BasketCompleted'],
    ['is forgotten', streamOf.basket(basketId), 'BasketForgotten'],
    [
      'belongs to someone who has unsubscribed',
      streamOf.mailPreference(mailPreferenceId(hashOf(email))),
      'RecoveryMailsUnsubscribed',
    ],
  ] as const)
    it(`is not sent once the checkout ${what}`, async () => {
      await after(stream, type);
      expect(shop.sent).to.deep.equal([]);
      // The other two of the sequence were not due.
      const [row, ...others] = await findMails(shop.stateStore, {});
      expect(row).to.include({ topic: 'checkout.abandoned.first', status: 'Abandoned', sealed: null });
      expect(others).to.deep.equal([]);
      expect(row?.errorMessage).to.match(/\.$/);
    });
});
