import { expect } from 'chai';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import {
  documentsAfter,
  type DocumentPage,
  type DocumentsAsked,
} from '#projection/engine/exports/documents-after.ts';
import type { Place } from '#projection/engine/exports/export.ts';
import { when } from '#test/support/refusal.ts';

/** See `DocumentStoreEngine`. */
interface ReadEngine {
  readonly name: string;
  readonly open: () => Promise<{ readonly store: DocumentStore; readonly dispose: () => Promise<void> }>;
}

interface Sold extends Document {
  readonly state: string;
  readonly at: string;
}

const collection = 'sales_v1_1';

/** 600 of them: so many at one instant that a page begins and ends among them. */
const sales: readonly Sold[] = Array.from({ length: 600 }, (_, index) => ({
  _id: `sale-${String((index * 7919) % 1000).padStart(4, '0')}`,
  state: index % 10 === 0 ? 'cancelled' : 'active',
  at: index < 450 ? '2026-03-01T09:00:00.000Z' : `2026-03-0${(index % 9) + 1}T10:00:00.000Z`,
}));

const inOrder = (one: Sold, other: Sold): number =>
  one.at === other.at ? (one._id < other._id ? -1 : 1) : one.at < other.at ? -1 : 1;

/** What exports read, on any engine (docs/rules/exports.md#reading). */
export const describeDocumentPages = ({ name, open }: ReadEngine): void => {
  describe(`documents of ${name}, read page by page`, () => {
    let readStore: DocumentStore;
    let dispose: () => Promise<void>;
    beforeEach(async () => {
      ({ store: readStore, dispose } = await open());
      await readStore.declare(collection, [{ fields: ['state', 'at'] }]);
      await readStore.write(sales.map((put) => ({ collection, put })));
    });
    afterEach(() => dispose());

    const readAll = async (state: string | { readonly in: readonly string[] }, window = {}) => {
      const found: Sold[] = [];
      for (let after: Place | null = null; ;) {
        const asked: DocumentsAsked = { collection, filter: { state }, sortedBy: 'at', after, ...window };
        const page: DocumentPage<Sold> = await documentsAfter<Sold>({ readStore }, asked);
        found.push(...page.documents);
        if (page.next === null) return found;
        after = page.next;
      }
    };

    it('come each once and in order, ties by their ids', async () => {
      const active = sales.filter(({ state }) => state === 'active').toSorted(inOrder);
      expect(await readAll('active')).to.deep.equal(active);
      expect(await readAll({ in: ['active', 'cancelled'] })).to.deep.equal(sales.toSorted(inOrder));
    });

    it('begin and end where they are asked to', async () => {
      const window = { from: '2026-03-02', before: '2026-03-05' };
      const within = sales.filter(({ at }) => at >= window.from && at < window.before).toSorted(inOrder);
      expect(within).to.have.length.above(40);
      expect(await readAll({ in: ['active', 'cancelled'] }, window)).to.deep.equal(within);
      expect(await readAll('active', { from: '2027-01-01' })).to.deep.equal([]);
    });

    it('have no end in a collection that is gone: a rebuild has replaced it', async () => {
      const gone: DocumentsAsked = {
        collection: 'sales_v1_0',
        filter: { _id: { gt: '' } },
        sortedBy: '_id',
        after: null,
      };
      await when(documentsAfter({ readStore }, gone)).thenFails(EngineUnavailable, 'replaced');
    });
  });
};
