import { expect } from 'chai';
import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import { isKnown } from '#command/contexts/invoices/invoice.state.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { OrderLine } from '#events/invoice.fields.ts';
import { isGuid } from '#kernel/ids.ts';
import type { SoldDownloads } from '#reference/sold-downloads.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { decidedAt, invoice, mugOrder } from '#test/support/builders/invoice.ts';
import { byHand } from '#test/support/builders/payment.ts';
import { given, inContext } from '#test/support/given.ts';

const now = '2026-03-01T09:05:00.000Z';

const [mug] = mugOrder('order').lines as [OrderLine];
const fileLine = (name: string): OrderLine => ({
  ...mug,
  id: idNamed(`line ${name}`),
  productId: idNamed(name),
  productRootId: idNamed(`root ${name}`),
  productRootName: name,
  isDigital: true,
});
/** An invoice with a mug and these files. */
const selling = (...names: readonly string[]) =>
  invoice('files', {
    content: { orders: [{ ...mugOrder('order'), lines: [mug, ...names.map(fileLine)] }] },
  });

const book: SoldDownloads = { fileIds: ['books/tea.pdf'], isInstant: true, expiryDays: 30, maxDownloads: 3 };
/** An invoice of a shop whose products have these files. */
const givenIn = (products: Readonly<Record<string, SoldDownloads>>, ...history: readonly InvoiceEvent[]) => {
  const byRoot = new Map(Object.entries(products).map(([name, one]) => [idNamed(`root ${name}`), one]));
  const downloadsOf = (rootId: string) => byRoot.get(rootId) ?? null;
  return given(
    inContext(invoiceDecider, decidedAt(now, { invoiceId: idNamed('files'), downloadsOf })),
    history,
  );
};
const renew = { type: 'RegenerateDownloads' } as const;
const linksIn = (events: readonly InvoiceEvent[]) =>
  events.flatMap((event) => (event.type === 'DownloadLinksCreated' ? event.data.links : []));

// docs/rules/downloads.md#when
describe('the links of an invoice', () => {
  it('are made with the payment, one for each line and file, as the product is sold then', () => {
    const { placed } = selling('tea', 'film');
    const film = { fileIds: ['a.mp4', 'b.pdf'], isInstant: false, expiryDays: null, maxDownloads: 0 };
    const events = givenIn({ tea: book, film }, placed).when(byHand).events();
    expect(events.map(({ type }) => type)).to.deep.equal(['PaymentCaptured', 'DownloadLinksCreated']);
    const links = linksIn(events);
    expect(links.every(({ linkId }) => isGuid(linkId))).to.equal(true);
    expect(links.map(({ linkId: _, ...link }) => link)).to.deep.equal([
      {
        lineId: idNamed('line tea'),
        fileId: 'books/tea.pdf',
        productName: 'tea',
        isInstant: true,
        expiresAt: '2026-03-31T09:05:00.000Z',
        maxDownloads: 3,
      },
      ...['a.mp4', 'b.pdf'].map((fileId) => ({
        ...{ lineId: idNamed('line film'), fileId, productName: 'film', isInstant: false },
        ...{ expiresAt: null, maxDownloads: 0 },
      })),
    ]);
  });

  it('are not made of goods, of products without files, nor of a part of the money', () => {
    const { placed, captured } = selling('tea');
    givenIn({ tea: book }, invoice('mugs').placed).when(byHand).thenLike(['PaymentCaptured']);
    givenIn({}, placed).when(byHand).thenLike(['PaymentCaptured']);
    const part = { type: 'RecordManualPayment', method: 'Cash', amount: 100, description: null } as const;
    givenIn({ tea: book }, placed).when(part).thenLike(['PaymentCaptured']);
    givenIn({ tea: book }, placed, captured(100))
      .when({ ...part, amount: null })
      .thenLike(['PaymentCaptured'], ['DownloadLinksCreated']);
  });

  it('come in events of 500, and those after the first as they were wanted', () => {
    const { placed, captured } = selling('library', 'archive');
    const many = (name: string): SoldDownloads => ({
      ...book,
      fileIds: Array.from({ length: 600 }, (_, index) => `${name}/${index}.pdf`),
    });
    const paid = givenIn({ library: many('library'), archive: many('archive') }, placed, captured());
    const forEver = { ...renew, expiryDays: null };
    const more = { type: 'MakeMoreLinks' } as const;
    const made = [
      paid.when(forEver),
      paid.after(forEver).when(more),
      paid.after(forEver, more).when(more),
    ].map((decided) => linksIn(decided.events()));
    expect(made.map(({ length }) => length)).to.deep.equal([500, 500, 200]);
    expect(new Set(made.flat().map(({ linkId }) => linkId)).size).to.equal(1200);
    expect(made.flat().every(({ expiresAt }) => expiresAt === null)).to.equal(true);
    const all = paid.after(forEver, more, more);
    all.when(more).thenNothing();
    expect(all.state(isKnown)).to.include({ isToBeMailed: true, hasMoreDownloads: false });
    all.when({ type: 'NoteDownloadsMailed' }).thenLike(['DownloadLinksMailed']);
  });

  it('are taken away when the product has no files any more and they are made again', () => {
    const { placed, captured } = selling('tea');
    const { history: made } = givenIn({ tea: book }, placed, captured()).after(renew);
    givenIn({}, ...made)
      .when(renew)
      .thenLike(['DownloadLinksCreated', { links: [] }]);
    givenIn({}, placed, captured()).when(renew).thenNothing();
  });
});
