import { join } from 'node:path';
import type { SubjectKeys } from '#log/subject-keys.ts';
import { mailsCollection, type MailDelivery } from '#mails/mail-delivery.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { MailFolder, type FiledMail } from './mail-folder.ts';
import { RecoveryBook, type DueMail } from './recovery-book.ts';
import { inStoppedShop } from './stopped-shop.ts';

export interface MailAudit {
  readonly mails: number;
  /** Checkouts to which somebody came back, and those that were bought after they had been left. */
  readonly recovered: number;
  readonly converted: number;
  /** What does not add up, in words; empty when everything does. */
  readonly problems: readonly string[];
}

type Row = MailDelivery & { readonly isForgotten: boolean };

const PAGE = 1000;

const everyRow = async (stateStore: DocumentStore, keys: SubjectKeys): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  for (let after = ''; ;) {
    const options = { filter: { _id: { gt: after } }, sort: [['_id', 1]], limit: PAGE } as const;
    const page = await stateStore.find<MailDelivery>(mailsCollection, options);
    for (const row of page)
      rows.push({ ...row, isForgotten: row.subject !== null && (await keys.isForgotten(row.subject)) });
    const last = page.at(-1);
    if (!last) return rows;
    after = last._id;
  }
};

const keyOf = ({ position, topic }: Pick<MailDelivery, 'position' | 'topic'>): string =>
  `${topic} of ${position}`;

const isWatched = ({ topic }: Row): boolean =>
  topic === 'order.created' || (topic?.startsWith('checkout.abandoned.') ?? false);

/** Each mail that was due has one row, and it was sent, unless nobody wanted it any more. */
const dueProblems = (book: RecoveryBook, rows: readonly Row[]): readonly string[] => {
  const left = Map.groupBy(rows.filter(isWatched), keyOf);
  const problems = book.due.flatMap((due) => {
    const [row, ...more] = left.get(keyOf(due)) ?? [];
    left.delete(keyOf(due));
    if (!row || more.length > 0) return [`mail ${keyOf(due)} has ${row ? more.length + 1 : 'no'} rows`];
    return outcomeProblems(book, due, row);
  });
  return [...problems, ...[...left.keys()].map((key) => `mail ${key} was never due`)];
};

const outcomeProblems = (book: RecoveryBook, due: DueMail, row: Row): readonly string[] => {
  const what = `mail ${keyOf(due)} is ${row.status}: ${row.errorMessage}`;
  switch (row.status) {
    case 'Succeeded':
      return book.isAfterSale(due) ? [`mail ${keyOf(due)} went out after the sale`] : [];
    case 'Abandoned':
      return book.isOvertaken(due) ? [] : [what];
    case 'Failed':
      return row.isForgotten ? [] : [what];
    default:
      return [what];
  }
};

/** Each mail that was sent is one file, until its recipient is forgotten; and no file is anything else. */
const fileProblems = (rows: readonly Row[], files: ReadonlyMap<string, FiledMail>): readonly string[] => {
  const byFile = new Map(rows.map((row) => [`${row._id}.json`, row]));
  const missing = [...byFile].filter(
    ([file, { status, isForgotten }]) => status === 'Succeeded' && !isForgotten && !files.has(file),
  );
  const unknown = [...files.keys()].filter((file) => !byFile.has(file));
  // In this crowd each address buys one order, and gets each recovery mail of one checkout.
  const watched = [...files].filter(([file]) => isWatchedFile(byFile.get(file)));
  const same = Map.groupBy(watched, ([, { to, subject }]) => `${subject} to ${to}`);
  return [
    ...missing.map(([file]) => `mail ${file} was sent and is not there`),
    ...unknown.map((file) => `file ${file} is no mail of the shop`),
    ...[...same].filter(([, { length }]) => length > 1).map(([mail]) => `mail ${mail} is there twice`),
  ];
};

const isWatchedFile = (row: Row | undefined): boolean => row !== undefined && isWatched(row);

/**
 * Checks the mails of a shop on embedded engines, stopped and settled, against its log: with recovery mails switched on
 * from the start. `recovered`: baskets to which a link has led back, as their shoppers were told.
 */
export const auditMails = (dataDir: string, recovered: readonly string[]): Promise<MailAudit> =>
  inStoppedShop(dataDir, async ({ engines, keys, events }) => {
    const folder = new MailFolder(join(dataDir, 'mails'));
    const book = new RecoveryBook(events);
    const rows = await everyRow(engines.stateStore, keys);
    const halves = (await folder.names()).filter((name) => !name.endsWith('.json'));
    const untold = recovered.filter((basketId) => !book.hasRecovered(basketId));
    const problems = [
      ...book.problems(),
      ...untold.map((basketId) => `basket ${basketId} was recovered, its shopper was told, and it was not`),
      ...dueProblems(book, rows),
      ...fileProblems(rows, await folder.all()),
      ...halves.map((name) => `file ${name} is half a mail`),
    ];
    return { mails: rows.length, recovered: book.recovered, converted: book.converted, problems };
  });
