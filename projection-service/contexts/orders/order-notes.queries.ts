import type { OrderNoteResponse } from '#contracts/orders.contract.ts';
import type { ViewReader } from '../../engine/reader.ts';
import { notesKey, orderNotesProjection, type OrderNotesDocument } from './order-notes.projection.ts';
import type { OrderDocument, OrderNote } from './order.document.ts';

interface Part {
  readonly part: number;
  readonly count: number;
}

const laterParts = ({ laterNotes }: Pick<OrderDocument, 'laterNotes'>): readonly Part[] =>
  Object.entries(laterNotes)
    .map(([part, count]) => ({ part: Number(part), count }))
    .sort((one, other) => other.part - one.part);

export const countNotes = (order: Pick<OrderDocument, 'notes' | 'laterNotes'>): number =>
  laterParts(order).reduce((sum, { count }) => sum + count, order.notes.length);

export const noteResponse = ({
  text,
  author,
  authorId = author,
  textOnceForgotten: _,
  ...note
}: OrderNote): OrderNoteResponse => ({
  ...note,
  text: text ?? '',
  authorId,
  author,
});

/** The newest notes first, page by page: only the parts that hold them are read. */
export const readNotes = async (
  views: Pick<ViewReader, 'getMany'>,
  order: Pick<OrderDocument, '_id' | 'notes' | 'laterNotes'>,
  skip: number,
  limit: number,
): Promise<readonly OrderNote[]> => {
  const own = { part: 0, count: order.notes.length };
  let end = 0;
  const wanted = [...laterParts(order), own].flatMap(({ part, count }) => {
    const start = end;
    end += count;
    const [from, to] = [Math.max(0, skip - start), Math.min(count, skip + limit - start)];
    return from < to ? [{ part, count, from, to }] : [];
  });
  const keys = wanted.flatMap(({ part }) => (part === 0 ? [] : [notesKey(order._id, part)]));
  const found =
    keys.length === 0 ? [] : await views.getMany<OrderNotesDocument>(orderNotesProjection.name, keys);
  const byKey = new Map(found.map(({ _id, notes }) => [_id, notes]));
  return wanted.flatMap(({ part, count, from, to }) => {
    const notes = part === 0 ? order.notes : (byKey.get(notesKey(order._id, part)) ?? []);
    // A part may be ahead of the order that counts its notes.
    return notes.slice(0, count).toReversed().slice(from, to);
  });
};
