import { expect } from 'chai';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { fileMailer } from '#adapters/mailers/file-mailer.ts';
import { forgetMailFiles, forgettingMailer } from '#dispatcher/contexts/mail-files/forget-mail-files.ts';
import { claimEvents } from '#events/customer.events.ts';
import { mailsCollection } from '#mails/mail-delivery.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { EventStore } from '#ports/event-store.ts';
import { CUSTOMER_EMAIL, claimIdOf } from '#values/claim-id.ts';
import { streamOf } from '#values/stream-name.ts';
import { appendPlain } from '#test/support/plain-log.ts';

const { ValueClaimed, ClaimReleased } = claimEvents.create;
const ada = '01a1fd9e-e314-7000-9cae-47293de64a71';
const grace = '01a1fd9e-e314-7000-9cae-47293de64a72';
const keyedHash = (kind: string, value: string): string => `${kind} of ${value}`;

// docs/rules/personal-data.md#files
describe('mails in files', () => {
  let folder: string;
  let store: EventStore;
  let stateStore: DocumentStore;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tillroll-mails-'));
    store = createMemoryEventStore();
    stateStore = createMemoryDocumentStore();
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const mail = (id: string, to: string, dateCreated = '2026-03-01T12:00:00.000Z', more = {}): void =>
    writeFileSync(join(folder, `${id}.json`), JSON.stringify({ id, to, dateCreated, ...more }));
  const claim = (email: string) => streamOf.claim(claimIdOf(keyedHash, CUSTOMER_EMAIL, email));
  const released = (email: string, ownerId: string) =>
    appendPlain(store, claim(email), [
      ValueClaimed({ kind: CUSTOMER_EMAIL, ownerId }),
      ClaimReleased({ kind: CUSTOMER_EMAIL, ownerId }),
    ]);
  const forget = async (forgotten: readonly string[]): Promise<readonly string[]> => {
    const keys = { isForgotten: (id: string) => Promise.resolve(forgotten.includes(id)) };
    await forgetMailFiles({ folder, store, stateStore, keys, keyedHash }, new AbortController().signal);
    return readdirSync(folder).toSorted();
  };

  it('go with those to whom they went, whatever the capitals and whoever else had a copy', async () => {
    await released('ada@example.com', ada);
    mail('one', 'Ada@Example.com');
    mail('two', 'staff@example.com, ada@example.com');
    mail('three', 'staff@example.com');
    writeFileSync(join(folder, '.four.draft'), 'half a mail');
    const others = ['no mail', '{}', 'null', '[]', '{"to":7,"dateCreated":"2026-03-01T12:00:00.000Z"}'];
    others.forEach((text, number) => writeFileSync(join(folder, `other-${number}.json`), text));
    const stay = others.map((_, number) => `other-${number}.json`);
    expect(await forget([ada])).to.deep.equal(['.four.draft', ...stay, 'three.json']);
  });

  it('go where they went to a customer who is forgotten, at whatever address, whether or not there is a row', async () => {
    for (const [id, ownerId] of [
      ['one', ada],
      ['two', grace],
      ['three', null],
    ] as const)
      mail(id, 'corrected@example.com', undefined, { ownerId });
    expect(await forget([ada])).to.deep.equal(['three.json', 'two.json']);
  });

  it('of an older release go where their rows say to whom they went, and stay where they went to others', async () => {
    await stateStore.declare(mailsCollection);
    for (const [id, subject, toExpression] of [
      ['one', ada, '{{customerName}} <{{customerEmail}}>'],
      ['two', grace, '{{customerEmail}}'],
      ['three', ada, '{{supplierEmail}}'],
    ] as const) {
      const row = { _id: id, subject, settings: { toExpression, ccExpression: null, bccExpression: null } };
      await stateStore.insertIfAbsent(mailsCollection, row as { readonly _id: string });
      mail(id, 'corrected@example.com');
    }
    expect(await forget([ada])).to.deep.equal(['three.json', 'two.json']);
  });

  it('go whatever names stand beside the addresses', async () => {
    await released('ada@example.com', ada);
    mail('one', '"Lovelace, Ada" <Ada@Example.com>');
    mail('two', 'Staff <staff@example.com>, Ada <ada@example.com>');
    mail('three', '"ada@example.com, once" <staff@example.com>, Grace <grace@example.com>');
    mail('four', 'Grace <grace@example.com>');
    expect(await forget([ada])).to.deep.equal(['four.json']);
  });

  it('are not kept where their recipient was forgotten while they were written', async () => {
    await released('ada@example.com', ada);
    for (const [last, forgotten, kept, ownerId = null] of [
      [null, [], ['one.json']],
      [3, [grace], ['one.json']],
      [5, [ada], []],
      [7, [grace], [], grace],
    ] as const) {
      const keys = { isForgotten: async (id: string) => (forgotten as readonly string[]).includes(id) };
      const options = { folder, store, stateStore, keys, keyedHash, forgetting: { last: () => last } };
      const mailer = forgettingMailer(fileMailer(folder), options);
      const sent = await mailer.send({
        ...{ id: 'one', to: ['"Ada" <ada@example.com>'], cc: [], bcc: [], from: 'shop@example.com' },
        ...{ subject: 'Tea', text: 'Tea', html: '', headers: {}, dateCreated: '2026-03-01T12:00:00.000Z' },
        ownerId,
      });
      expect(sent).to.deep.equal({ kind: 'sent' });
      expect(readdirSync(folder)).to.deep.equal(kept);
    }
  });

  it('of somebody who gave an address up without being forgotten stay', async () => {
    await released('ada@example.com', ada);
    mail('one', 'ada@example.com');
    expect(await forget([grace])).to.deep.equal(['one.json']);
  });

  it('to the next one at the same address stay', async () => {
    await released('home@example.com', ada);
    const [claimedAt, before] = ['2026-04-01T12:00:00.000Z', '2026-03-31T12:00:00.000Z'];
    const again = ValueClaimed({ kind: CUSTOMER_EMAIL, ownerId: grace });
    await appendPlain(store, claim('home@example.com'), [{ ...again, recordedAt: claimedAt }]);
    mail('before', 'home@example.com', before);
    mail('after', 'home@example.com', claimedAt);
    expect(await forget([ada])).to.deep.equal(['after.json']);
  });

  it('are not looked for where there are none', async () => {
    rmSync(folder, { recursive: true });
    const keys = { isForgotten: () => Promise.resolve(true) };
    const options = { folder, store, stateStore, keys, keyedHash };
    expect(await forgetMailFiles(options, new AbortController().signal)).to.equal(0);
    folder = mkdtempSync(join(tmpdir(), 'tillroll-mails-'));
  });
});
