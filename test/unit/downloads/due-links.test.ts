import { expect } from 'chai';
import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import type { InvoiceContext } from '#command/contexts/invoices/invoice.context.ts';
import type { DownloadsCommand } from '#command/contexts/invoices/downloads/downloads.commands.ts';
import { isKnown } from '#command/contexts/invoices/invoice.state.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { OrderLine } from '#events/invoice.fields.ts';
import { isGuid } from '#kernel/ids.ts';
import type { SoldDownloads } from '#reference/sold-downloads.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { decidedAt, invoice, mugOrder } from '#test/support/builders/invoice.ts';
import { byHand } from '#test/support/builders/payment.ts';
import { given } from '#test/support/given.ts';

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
const sold = (products: Readonly<Record<string, SoldDownloads>>): InvoiceContext => {
  const byRoot = new Map(Object.entries(products).map(([name, one]) => [idNamed(`root ${name}`), one]));
  return decidedAt(now, { invoiceId: idNamed('files'), downloadsOf: (rootId) => byRoot.get(rootId) ?? null });
};
const linksIn = (events: readonly InvoiceEvent[]) =>
  events.flatMap((event) => (event.type === 'DownloadLinksCreated' ? event.data.links : []));

// docs/rules/downloads.md#when
describe('the links of an invoice', () => {
  it('are made with the payment, one for each line and file, as the product is sold then', () => {
    const { placed } = selling('tea', 'film');
    const film = { fileIds: ['a.mp4', 'b.pdf'], isInstant: false, expiryDays: null, maxDownloads: 0 };
    const events = given(invoiceDecider, [placed])
      .when(byHand, sold({ tea: book, film }))
      .events();
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
    const { placed } = selling('tea');
    given(invoiceDecider, [invoice('mugs').placed])
      .when(byHand, sold({ tea: book }))
      .thenLike(['PaymentCaptured']);
    given(invoiceDecider, [placed]).when(byHand, sold({})).thenLike(['PaymentCaptured']);
    const part = { type: 'RecordManualPayment', method: 'Cash', amount: 100, description: null } as const;
    given(invoiceDecider, [placed])
      .when(part, sold({ tea: book }))
      .thenLike(['PaymentCaptured']);
    const rest = { ...part, amount: null };
    given(invoiceDecider, [placed, selling('tea').captured(100)])
      .when(rest, sold({ tea: book }))
      .thenLike(['PaymentCaptured'], ['DownloadLinksCreated']);
  });

  it('come in events of 500, and those after the first as they were wanted', () => {
    const { placed, captured } = selling('library', 'archive');
    const many = (name: string): SoldDownloads => ({
      ...book,
      fileIds: Array.from({ length: 600 }, (_, index) => `${name}/${index}.pdf`),
    });
    const context = sold({ library: many('library'), archive: many('archive') });
    let history: InvoiceEvent[] = [placed, captured()];
    const send = (command: DownloadsCommand) => {
      const events = given(invoiceDecider, history).when(command, context).events();
      history = [...history, ...events];
      return linksIn(events);
    };
    const first = send({ type: 'RegenerateDownloads', expiryDays: null });
    const made = [first, send({ type: 'MakeMoreLinks' }), send({ type: 'MakeMoreLinks' })];
    expect(made.map(({ length }) => length)).to.deep.equal([500, 500, 200]);
    expect(new Set(made.flat().map(({ linkId }) => linkId)).size).to.equal(1200);
    expect(made.flat().every(({ expiresAt }) => expiresAt === null)).to.equal(true);
    expect(send({ type: 'MakeMoreLinks' })).to.deep.equal([]);
    const state = given(invoiceDecider, history).state();
    expect(isKnown(state) && state.isToBeMailed && !state.hasMoreDownloads).to.equal(true);
    given(invoiceDecider, history)
      .when({ type: 'NoteDownloadsMailed' }, context)
      .thenLike(['DownloadLinksMailed']);
  });

  it('are taken away when the product has no files any more and they are made again', () => {
    const { placed, captured } = selling('tea');
    const paid = [placed, captured()];
    const made = given(invoiceDecider, paid).when({ type: 'RegenerateDownloads' }, sold({ tea: book }));
    const empty = given(invoiceDecider, [...paid, ...made.events()]);
    expect(linksIn(empty.when({ type: 'RegenerateDownloads' }, sold({})).events())).to.deep.equal([]);
    empty.when({ type: 'RegenerateDownloads' }, sold({})).thenLike(['DownloadLinksCreated', { links: [] }]);
    given(invoiceDecider, paid).when({ type: 'RegenerateDownloads' }, sold({})).thenNothing();
  });
});
