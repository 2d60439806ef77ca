import { expect } from 'chai';
import { findMails } from '#dispatcher/contexts/mails/mail-rows.ts';
import { newId } from '#kernel/ids.ts';
import { mailsCollection, type MailDelivery } from '#mails/mail-delivery.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { SentMail } from '#ports/mailer.ts';
import { pause } from '#runtime/back-off.ts';
import { streamOf } from '#values/stream-name.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { ada, registered } from '#test/support/builders/customer.ts';
import { openMails, type OpenMails } from '#test/support/open-mails.ts';
import { appendPlain, plainEvent } from '#test/support/plain-log.ts';

const never = new Promise<never>(() => undefined);
const away: SentMail = { kind: 'unavailable', reason: 'ENOSPC' };
const lowStock = {
  ...{ name: 'Low stock', topic: 'inventory.low_stock', isEnabled: true, templatePath: 'supplier-order' },
  ...{ toExpression: 'buyer@example.com', ccExpression: null, bccExpression: null, fromExpression: null },
  ...{ subjectExpression: '{{sku}} runs low', description: null, attachmentAliases: [] },
  at: '2026-03-01T12:00:00.000Z',
};

// docs/rules/mail-deliveries.md#attempts
describe('A mail of a shop in one process that becomes a file', () => {
  let shop: OpenMails;
  /** The status of each row that was written whole. */
  let written: unknown[];
  beforeEach(async () => {
    shop = await openMails('files');
    written = [];
    const write = shop.stateStore.write.bind(shop.stateStore);
    shop.stateStore.write = (writes) => {
      for (const one of writes)
        if (one.collection === mailsCollection && 'put' in one)
          written.push((one.put as MailDelivery).status);
      return write(writes);
    };
    await appendPlain(shop.store, streamOf.mailConfiguration(idNamed('low')), [
      { type: 'MailConfigurationCreated', data: lowStock },
    ]);
  });
  afterEach(() => shop.close());

  const runLow = async (...skus: readonly string[]): Promise<void> => {
    const [productId, warehouseId] = [idNamed('mug'), idNamed('London')];
    for (const sku of skus) {
      const data = { productId, warehouseId, sku, stock: 3, threshold: 5, reserved: 0, available: 3 };
      await appendPlain(shop.store, `stock-${newId()}`, [{ type: 'StockRanLow', data }]);
    }
  };
  const subjects = () => shop.sent.map(({ subject }) => subject);
  const rows = () => findMails(shop.stateStore, {});
  /** The position that a process begins with which was never told of a configuration before the log's first event. */
  const dispatcher = async () => {
    await shop.stateStore.declare('dispatcherCheckpoints');
    await shop.stateStore.insertIfAbsent('dispatcherCheckpoints', {
      ...{ _id: 'mail-deliveries', position: 0, idsSince: 0 },
    });
    return shop.dispatcher();
  };

  it('is written down once, with what came of it, and takes no way over the bus', async () => {
    const publish: string[] = [];
    shop.bus.publish = async (topic) => void publish.push(topic);
    const dispatch = await dispatcher();
    await runLow('MUG', 'CUP');
    await shop.settle(dispatch);
    expect(subjects().toSorted()).to.deep.equal(['CUP runs low', 'MUG runs low']);
    expect(written).to.deep.equal(['Succeeded', 'Succeeded']);
    const [row] = await rows();
    expect(row).to.include({ status: 'Succeeded', attemptNumber: 1, dueAt: null, errorMessage: null });
    expect(row).to.include({ dateSent: row?.dateCreated, dateCompleted: row?.dateCreated });
    expect(publish).to.deep.equal([]);
  });

  // docs/rules/mail-deliveries.md#files
  it('says whose it is where it goes to its customer, and nothing where it goes to others', async () => {
    const subject = idNamed('ada');
    await shop.keys.ensure({ id: subject });
    for (const toExpression of ['{{customerEmail}}', 'staff@example.com']) {
      const data = { ...lowStock, topic: 'customer.created', toExpression, subjectExpression: 'Welcome' };
      await appendPlain(shop.store, streamOf.mailConfiguration(idNamed(toExpression)), [
        { type: 'MailConfigurationCreated', data },
      ]);
    }
    const event = plainEvent(registered());
    const metadata = JSON.stringify({ ...(JSON.parse(event.metadata) as object), subject });
    await shop.store.append(streamOf.customer(subject), -1, [{ ...event, metadata }]);
    await shop.settle(await dispatcher());
    expect(shop.sent.map(({ to, ownerId }) => [to.join(), ownerId])).to.have.deep.members([
      [ada.email, subject],
      ['staff@example.com', null],
    ]);
  });

  it('is made again under its id where a kill came before its row', async () => {
    shop.outcomes.push(never);
    await dispatcher();
    await runLow('MUG');
    while (shop.sent.length === 0) await pause(1);
    expect(await rows()).to.deep.equal([]);
    await shop.settle(await dispatcher());
    const [first, second] = shop.sent;
    expect(second).to.deep.equal(first);
    expect((await rows()).map(({ status }) => status)).to.deep.equal(['Succeeded']);
  });

  it('is not made again when its log is read again', async () => {
    const dispatch = await dispatcher();
    await runLow('MUG');
    await shop.settle(dispatch);
    await shop.close();
    const checkpoints = 'dispatcherCheckpoints';
    await shop.stateStore.updateIf(checkpoints, { _id: 'mail-deliveries' }, { set: { position: 0 } });
    await shop.stateStore.deleteMany(checkpoints, { _id: 'mail-deliveries state' }, 1);
    await shop.settle(await shop.dispatcher());
    expect(shop.sent).to.have.length(1);
  });

  it('waits by its row where the disk is full, and those after it wait as well', async () => {
    shop.outcomes.push(away);
    const dispatch = await dispatcher();
    await runLow('MUG');
    await shop.settle(dispatch);
    expect((await rows()).map(({ status, attemptNumber }) => [status, attemptNumber])).to.deep.equal([
      ['Retrying', 1],
    ]);
    written = [];
    await runLow('CUP');
    await shop.settle(dispatch);
    expect(written).to.deep.equal(['Pending']);
    shop.clock.advance(60);
    await shop.settle(dispatch);
    expect(subjects()).to.deep.equal(['MUG runs low', 'CUP runs low', 'MUG runs low']);
  });

  it('waits by its row where the shop stops before its turn, so that stopping takes no longer than those in hand', async () => {
    const inHand = Promise.withResolvers<SentMail>();
    shop.outcomes.push(...Array.from({ length: shop.mailer.atOnce }, () => inHand.promise));
    await runLow('A', 'B', 'C', 'D', 'E', 'F');
    await dispatcher();
    while (shop.sent.length < shop.mailer.atOnce) await pause(1);
    const stopped = shop.close();
    inHand.resolve({ kind: 'sent' });
    await stopped;
    const succeeded = Array.from({ length: shop.mailer.atOnce }, () => 'Succeeded');
    expect(written).to.deep.equal([...succeeded, 'Pending', 'Pending']);
  });

  it('waits by its row where it is still in hand a moment after the shop has stopped', async () => {
    shop.outcomes.push(never);
    await runLow('A', 'B');
    await dispatcher();
    while (shop.sent.length < 2) await pause(1);
    await shop.close();
    expect(written.toSorted()).to.deep.equal(['Pending', 'Succeeded']);
  });

  it('waits by its row while callers keep the shop busy, and so does one that an engine kept from being written', async () => {
    shop.traffic.isHeavy = () => true;
    const dispatch = await dispatcher();
    await runLow('MUG');
    while ((await rows()).length === 0) await pause(1);
    expect((await rows())[0]).to.include({ status: 'Pending', attemptNumber: 0 });
    shop.traffic.isHeavy = () => false;
    await shop.settle(dispatch);
    const { eventAt } = shop.store;
    let asked = 0;
    shop.store.eventAt = (position) =>
      asked++ === 0 ? Promise.reject(new EngineUnavailable('away')) : eventAt.call(shop.store, position);
    await runLow('CUP');
    await shop.settle(dispatch);
    expect(subjects()).to.deep.equal(['MUG runs low', 'CUP runs low']);
    expect((await rows()).map(({ status, attemptNumber }) => [status, attemptNumber])).to.deep.equal([
      ['Succeeded', 1],
      ['Succeeded', 1],
    ]);
  });
});
