import { expect } from 'chai';
import { abandonedCheckoutDecider } from '#command/contexts/abandoned-checkouts/abandoned-checkout.decider.ts';
import { findMails } from '#dispatcher/contexts/mails/mail-rows.ts';
import { newId } from '#kernel/ids.ts';
import { streamOf } from '#values/stream-name.ts';
import { abandonedCheckoutId } from '#values/abandoned-checkout.ts';
import { leftMugs, passAt, seenAtNoon } from '#test/support/builders/abandoned-checkout.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { given } from '#test/support/given.ts';
import { openMails, type OpenMails } from '#test/support/open-mails.ts';
import { appendPlain } from '#test/support/plain-log.ts';

const at = '2026-03-01T12:00:00.000Z';
const lowStock = {
  name: 'Low stock',
  topic: 'inventory.low_stock',
  isEnabled: true,
  templatePath: 'supplier-order',
  toExpression: 'buyer@example.com',
  ccExpression: null,
  bccExpression: null,
  fromExpression: null,
  subjectExpression: '{{sku}} runs low: {{currentStock}}',
  description: null,
  attachmentAliases: [],
};

// docs/rules/mail-deliveries.md#queued
for (const to of ['server', 'files'] as const)
  describe(`A mail about what happened, to ${to}`, () => {
    let shop: OpenMails;
    beforeEach(async () => {
      shop = await openMails(to);
    });
    afterEach(() => shop.close());

    const configure = async (id: string, changes: object = {}, type = 'MailConfigurationCreated') =>
      appendPlain(shop.store, streamOf.mailConfiguration(id), [
        { type, data: { ...lowStock, ...changes, at } },
      ]);
    const runLow = async (sku: string): Promise<unknown> => {
      const [productId, warehouseId] = [idNamed('mug'), idNamed('London')];
      const data = { productId, warehouseId, sku, stock: 3, threshold: 5, reserved: 0, available: 3 };
      return appendPlain(shop.store, `stock-${newId()}`, [{ type: 'StockRanLow', data }]);
    };
    const subjects = () => shop.sent.map(({ subject }) => subject);

    it('goes out once for each enabled configuration, however often the log is read', async () => {
      const dispatch = await shop.dispatcher();
      await configure(idNamed('one'));
      await configure(idNamed('other'), { toExpression: 'other@example.com' });
      await configure(idNamed('off'), { isEnabled: false });
      await runLow('MUG');
      await shop.settle(dispatch);
      expect(shop.sent.map(({ to }) => to[0]).toSorted()).to.deep.equal([
        'buyer@example.com',
        'other@example.com',
      ]);
      expect(subjects()).to.deep.equal(['MUG runs low: 3', 'MUG runs low: 3']);
      // The checkpoint is behind: what it did is done again.
      await shop.close();
      await shop.stateStore.updateIf(
        'dispatcherCheckpoints',
        { _id: 'mail-deliveries' },
        { set: { position: 0 } },
      );
      await shop.stateStore.deleteMany('dispatcherCheckpoints', { _id: 'mail-deliveries state' }, 1);
      await shop.settle(await shop.dispatcher());
      expect(shop.sent).to.have.length(2);
    });

    it('is not told of the past: neither to a new configuration nor to a shop that has just been updated', async () => {
      await runLow('BEFORE THE UPDATE');
      const dispatch = await shop.dispatcher();
      await runLow('BEFORE THE CONFIGURATION');
      await configure(idNamed('one'));
      await runLow('AFTER');
      await shop.settle(dispatch);
      expect(subjects()).to.deep.equal(['AFTER runs low: 3']);
    });

    it('begins when the command service starts, should the dispatcher start later', async () => {
      await shop.queue();
      await configure(idNamed('one'));
      await runLow('MUG');
      await shop.settle(await shop.dispatcher());
      expect(subjects()).to.deep.equal(['MUG runs low: 3']);
    });

    it('goes out no more once its configuration is off or deleted, and again with another subject', async () => {
      const id = idNamed('one');
      const dispatch = await shop.dispatcher();
      await configure(id);
      await configure(id, { isEnabled: false }, 'MailConfigurationChanged');
      await runLow('OFF');
      await configure(id, { subjectExpression: 'Again {{sku}}' }, 'MailConfigurationChanged');
      await runLow('ON');
      await shop.settle(dispatch);
      await configure(id, {}, 'MailConfigurationDeleted');
      await runLow('DELETED');
      await shop.settle(dispatch);
      expect(subjects()).to.deep.equal(['Again ON']);
    });

    it('that still waits is not sent once its configuration is switched off or deleted', async () => {
      const [off, deleted, on] = ['off', 'deleted', 'on'].map(idNamed) as [string, string, string];
      const dispatch = await shop.dispatcher();
      for (const id of [off, deleted, on]) await configure(id, { subjectExpression: id });
      shop.outcomes.push(
        ...Array.from({ length: 3 }, () => ({ kind: 'unavailable', reason: 'away' }) as const),
      );
      await runLow('MUG');
      await shop.settle(dispatch);
      expect(shop.sent).to.have.length(3);
      await configure(off, { isEnabled: false }, 'MailConfigurationChanged');
      await configure(deleted, {}, 'MailConfigurationDeleted');
      shop.clock.advance(60);
      await shop.settle(dispatch);
      expect(subjects().slice(3)).to.deep.equal([on]);
      const rows = await findMails(shop.stateStore, { filter: { status: 'Abandoned' } });
      expect(rows.map(({ configurationId }) => configurationId)).to.have.members([off, deleted]);
      for (const { errorMessage } of rows) expect(errorMessage).to.contain('switched off');
    });

    it('has failed at once where no recipient comes out, and says which expression it was', async () => {
      const dispatch = await shop.dispatcher();
      await configure(idNamed('one'), { toExpression: '{{nothing}}' });
      await runLow('MUG');
      await shop.settle(dispatch);
      const [row] = await findMails(shop.stateStore, {});
      expect(row).to.include({ status: 'Failed', attemptNumber: 1, entityType: 'Product' });
      expect(row?.errorMessage).to.contain('to: ').and.to.contain('{{nothing}}');
      expect(shop.sent).to.deep.equal([]);
    });

    it('says the same on every attempt, and is tried again only while it can be sent', async () => {
      const dispatch = await shop.dispatcher();
      await configure(idNamed('one'));
      shop.outcomes.push({ kind: 'unavailable', reason: 'ECONNREFUSED' });
      await runLow('MUG');
      await shop.settle(dispatch);
      shop.clock.advance(60);
      await shop.settle(dispatch);
      const [first, second] = shop.sent;
      expect(second).to.deep.equal(first);
      const [row] = await findMails(shop.stateStore, {});
      expect(row).to.include({ status: 'Succeeded', attemptNumber: 2 });
      expect(await shop.personalTexts.open(row?.sealed ?? '')).to.contain('MUG runs low: 3');
      expect(row?.sealed).not.to.contain('MUG runs');
    });
  });

// docs/rules/abandoned-checkouts.md#unsubscribing
describe('A recovery mail', () => {
  let shop: OpenMails;
  beforeEach(async () => {
    shop = await openMails();
  });
  afterEach(() => shop.close());

  const left = abandonedCheckoutId(seenAtNoon.basketId);
  const becomeDue = async (): Promise<void> => {
    const dispatch = await shop.dispatcher();
    const first = { topic: 'checkout.abandoned.first', templatePath: 'recovery-first' };
    const said = { toExpression: '{{customerEmail}}', subjectExpression: 'Your basket' };
    await appendPlain(shop.store, streamOf.mailConfiguration(idNamed('recovery')), [
      { type: 'MailConfigurationCreated', data: { ...lowStock, ...first, ...said, at } },
    ]);
    const { history } = given(abandonedCheckoutDecider).after(passAt(1), passAt(2));
    await appendPlain(shop.store, streamOf.abandonedCheckout(left), history);
    await shop.settle(dispatch);
  };

  it('brings the way back, and offers with one click to be the last', async () => {
    await becomeDue();
    expect(shop.sent.map(({ to }) => to)).to.deep.equal([[leftMugs.email]]);
    expect(shop.sent[0]?.text).to.include(`https://shop/recover/${left}/1`);
    expect(shop.sent[0]?.headers).to.deep.equal({
      'List-Unsubscribe': '<https://shop/unsubscribe/token>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    });
  });
});

describe('A mail that no event tells of', () => {
  let shop: OpenMails;
  beforeEach(async () => {
    shop = await openMails();
  });
  afterEach(() => shop.close());

  const notification = {
    customerEmail: 'ada@example.com',
    resetLink: 'https://shop/r?token=t',
    linkValidMinutes: 60,
  };
  const reset = { topic: 'customer.password_reset', subject: null } as const;

  it('is written by the configurations of its topic, once, and nothing of a link is kept', async () => {
    const queue = await shop.queue();
    await Promise.all([
      queue.tell('cause', { ...reset, notification }),
      queue.tell('cause', { ...reset, notification }),
    ]);
    const [waiting] = await findMails(shop.stateStore, {});
    expect(JSON.stringify(waiting)).not.to.contain('token=t');
    await shop.settle(await shop.dispatcher());
    expect(shop.sent.map(({ to }) => to)).to.deep.equal([['ada@example.com']]);
    expect(shop.sent[0]?.text).to.contain('https://shop/r?token=t');
    const [row] = await findMails(shop.stateStore, {});
    expect(row).to.include({ status: 'Succeeded', topic: 'customer.password_reset', sealed: null });
  });

  it('for an address without an account costs the same row, and is gone once it was looked at', async () => {
    const queue = await shop.queue();
    await queue.tell('known', { ...reset, notification });
    await queue.tell('unknown', { ...reset, notification: null });
    expect(await findMails(shop.stateStore, {})).to.have.length(2);
    await shop.settle(await shop.dispatcher());
    expect(shop.sent).to.have.length(1);
    expect(await findMails(shop.stateStore, {})).to.have.length(1);
  });

  it('about a forgotten person is not sent, and says why', async () => {
    const subject = idNamed('customer');
    await shop.keys.ensure({ id: subject });
    const queue = await shop.queue();
    await queue.tell('cause', { topic: 'customer.password_reset', subject, notification });
    await shop.keys.forget(subject);
    await shop.settle(await shop.dispatcher());
    const [row] = await findMails(shop.stateStore, {});
    expect(row).to.include({ status: 'Failed', subject });
    expect(row?.errorMessage).to.contain('forgotten');
    expect(shop.sent).to.deep.equal([]);
  });
});
