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
const record = streamOf.abandonedCheckout(recordId);
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

  const configure = async (changes: object = {}): Promise<void> => {
    await shop.queue();
    for (const { id, isDefault: _, dateCreated: __, dateUpdated: ___, ...settings } of recoveryMails) {
      const on = { type: 'MailConfigurationChanged', data: { ...settings, isEnabled: true, ...changes, at } };
      await appendPlain(shop.store, streamOf.mailConfiguration(id), [on]);
    }
  };
  const becomeDue = (): Promise<unknown> =>
    appendPlain(shop.store, record, [{ type: 'RecoveryMailRequested', data: due }]);

  /** It is due, and then something else happens before it is handed over. */
  const after = async (stream?: string, type?: string): Promise<void> => {
    await configure();
    await becomeDue();
    if (stream && type) await appendPlain(shop.store, stream, [{ type, data: { at } }]);
    await shop.settle(await shop.dispatcher());
  };
  const isNotSent = async (): Promise<void> => {
    expect(shop.sent).to.deep.equal([]);
    // The other two of the sequence were not due.
    const [row, ...others] = await findMails(shop.stateStore, {});
    expect(row).to.include({ topic: 'checkout.abandoned.first', status: 'Abandoned', sealed: null });
    expect(others).to.deep.equal([]);
    expect(row?.errorMessage).to.match(/\.$/);
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
  for (const [what, stream, type] of [
    ['is resumed', record, 'CheckoutResumed'],
    ['is recovered', record, 'CheckoutRecovered'],
    ['is bought', record, 'CheckoutConverted'],
    ['has expired', record, 'CheckoutRecoveryExpired'],
    ['is cleared', record, 'AbandonedBasketLost'],
    [
      'is taken up again, which its record has not heard of yet',
      streamOf.basket(basketId),
      'BasketLineAdded',
    ],
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
      await isNotSent();
    });

  for (const type of ['PaymentPromised', 'PaymentPending', 'PaymentAuthorized', 'PaymentCaptured'])
    it(`is not sent once its basket is being paid for: ${type}`, async () => {
      const invoiceId = idNamed('invoice');
      await configure();
      await appendPlain(shop.store, streamOf.basket(basketId), [
        { type: 'OrderPlaced', data: { placementId: idNamed('placement'), invoiceId, invoiceNumber: '1' } },
      ]);
      await becomeDue();
      await appendPlain(shop.store, streamOf.invoice(invoiceId), [{ type, data: { at } }]);
      await shop.settle(await shop.dispatcher());
      await isNotSent();
    });

  it('goes out though a payment was declined before it was due', async () => {
    const invoiceId = idNamed('invoice');
    await configure();
    await appendPlain(shop.store, streamOf.basket(basketId), [
      { type: 'OrderPlaced', data: { placementId: idNamed('placement'), invoiceId, invoiceNumber: '1' } },
    ]);
    for (const type of ['PaymentPending', 'PaymentDeclined'])
      await appendPlain(shop.store, streamOf.invoice(invoiceId), [{ type, data: { at } }]);
    await becomeDue();
    await shop.settle(await shop.dispatcher());
    expect(shop.sent).to.have.length(1);
  });

  it('to fixed addresses tells staff what has happened, and takes no reader off anything', async () => {
    await configure({ toExpression: 'staff@example.com' });
    await becomeDue();
    await appendPlain(shop.store, record, [{ type: 'CheckoutResumed', data: { at } }]);
    await shop.settle(await shop.dispatcher());
    expect(shop.sent.map(({ to, headers }) => [to, headers])).to.deep.equal([[['staff@example.com'], {}]]);
  });

  it('has the link that holds when it is sent, at each attempt', async () => {
    const relink = (number: number) =>
      appendPlain(shop.store, record, [
        { type: 'RecoveryLinkIssued', data: { ...due, link: { ...due.link, number }, reason: 'regenerate' } },
      ]);
    await configure();
    await becomeDue();
    await relink(2);
    shop.outcomes.push({ kind: 'unavailable', reason: 'away' });
    const dispatch = await shop.dispatcher();
    await shop.settle(dispatch);
    await relink(3);
    shop.clock.advance(60);
    await shop.settle(dispatch);
    const links = shop.sent.map(({ text }) => new RegExp(`${recordId}/(\\d)`).exec(text)?.[1]);
    expect(links).to.deep.equal(['2', '3']);
  });
});
