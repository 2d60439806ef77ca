import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { openSqliteEventStore } from '#adapters/sqlite/sqlite-event-store.ts';
import type { VerificationReport } from '#contracts/verification.contract.ts';
import { chainStart, hashOf, sealMetadata } from '#log/hash-chain.ts';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { START, type StoredEvent } from '#ports/event-store.ts';
import { readSeals } from '#projection/contexts/audit/seals/read-seals.ts';
import { sealLog } from '#projection/contexts/audit/seals/seal-log.job.ts';
import type { KeptSeals } from '#projection/contexts/audit/verification/seals.check.ts';
import { verifyShop } from '#projection/contexts/audit/verification/verify-shop.ts';
import { silentLog } from './plain-log.ts';
import { TestShop } from './shop.ts';

/** A small shop's log in a file, its seals, and a copy of them that was kept elsewhere. */
export interface SealedLog {
  readonly folder: string;
  readonly file: string;
  readonly stateStore: DocumentStore;
  readonly kept: KeptSeals;
}

const now = Date.parse('2026-03-01T12:00:00.000Z');
const insiderKey = Buffer.alloc(32, 9);

const wholeLog = async (shop: TestShop): Promise<readonly StoredEvent[]> => {
  const { store } = shop.shop.runtime;
  const events: StoredEvent[] = [];
  for (;;) {
    const page = await store.readAll(events.at(-1)?.position ?? START);
    if (page.length === 0) return events;
    events.push(...page);
  }
};

const copyOf = async (from: DocumentStore, collections: readonly string[]): Promise<DocumentStore> => {
  const to = createMemoryDocumentStore();
  for (const collection of collections) {
    await to.declare(collection);
    for (const document of await from.find<Document>(collection))
      await to.write([{ collection, put: document }]);
  }
  return to;
};

const sealCollections = ['logSeals', 'logSealKeys'];

/** Two purchases, one with a discount that has a limit, a seal, two more, another seal. */
export const makeSealedLog = async (folder: string): Promise<SealedLog> => {
  const shop = await TestShop.open();
  try {
    const mug = await shop.sell('mug', { price: 10, stock: 100 });
    await shop.discount('SAVE10', 10, 100);
    for (let sale = 0; sale < 4; sale++) {
      const shopper = shop.shopper();
      await shopper.prepare(mug, 1);
      await shopper.applyCode('SAVE10');
      const { body } = await shopper.pay();
      await shopper.payWith(body.invoiceId as string);
      await shop.settle();
      if (sale % 2 === 1) await shop.tester.post('/testing/jobs/seal-log');
    }
    const file = join(folder, 'events.db');
    const log = await openSqliteEventStore({ file, mode: 'inline' });
    for (const { stream, revision, ...event } of await wholeLog(shop))
      await log.append(stream, revision - 1, [event]);
    await log.close();
    const { stateStore: shops } = shop.shop.runtime;
    const { publicKey, seals } = await readSeals(shops, { before: null, limit: 10 });
    const stateStore = await copyOf(shops, sealCollections);
    return { folder, file, stateStore, kept: { publicKey, seals } };
  } finally {
    await shop.close();
  }
};

/** What an intruder does to the file, and what verify has to say of it. */
export interface Manipulation {
  readonly name: string;
  readonly apply: (log: OpenFile) => void;
  /** The seals were forged as well: only a copy from elsewhere can tell. */
  readonly isSealedAgain?: boolean;
  readonly isWithCopy?: boolean;
  /** Where the first problem is, and which check finds it. */
  readonly expected: (log: OpenFile) => ExpectedProblem;
}

export interface ExpectedProblem {
  readonly check: string;
  readonly position?: number;
  readonly stream?: string;
  readonly revision?: number;
}

type Problem = VerificationReport['problems'][number];

export const isFound = (problem: Problem, expected: ExpectedProblem): boolean =>
  Object.entries(expected).every(([field, value]) => problem[field as keyof Problem] === value);

interface Row {
  readonly position: number;
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}

/** The file of a log without what protects it. */
export class OpenFile {
  readonly #database: DatabaseSync;

  constructor(file: string) {
    this.#database = new DatabaseSync(file);
    this.#database.exec(
      'DROP TRIGGER IF EXISTS events_are_never_changed; DROP TRIGGER IF EXISTS events_are_never_removed',
    );
  }

  /** Those of a type, or all. */
  rows(type?: string): readonly [Row, ...Row[]] {
    const all = this.#database.prepare('SELECT * FROM events ORDER BY position').all() as unknown as Row[];
    const [first, ...others] = type === undefined ? all : all.filter((row) => row.type === type);
    if (!first) throw new Error(`the log holds no ${type ?? 'event'}`);
    return [first, ...others];
  }

  stream(name: string): readonly Row[] {
    return this.rows().filter(({ stream }) => stream === name);
  }

  change({ position }: Pick<Row, 'position'>, changes: Partial<Row>): void {
    for (const [column, value] of Object.entries(changes))
      this.#database.prepare(`UPDATE events SET ${column} = ? WHERE position = ?`).run(value, position);
  }

  remove(rows: readonly Pick<Row, 'position'>[]): void {
    for (const { position } of rows)
      this.#database.prepare('DELETE FROM events WHERE position = ?').run(position);
  }

  append(row: Omit<Row, 'position'>): void {
    const { stream, revision, id, type, data, metadata } = row;
    this.#database
      .prepare('INSERT INTO events (stream, revision, id, type, data, metadata) VALUES (?, ?, ?, ?, ?, ?)')
      .run(stream, revision, id, type, data, metadata);
  }

  /** Writes the chains again, as the shop itself would have. */
  hashAgain(streams: Iterable<string> = new Set(this.rows().map(({ stream }) => stream))): void {
    for (const stream of streams) {
      let { hash } = chainStart;
      for (const row of this.stream(stream)) {
        const text = row.metadata.slice(0, row.metadata.lastIndexOf(',"hash":"'));
        hash = hashOf(hash, row, text);
        this.change(row, { metadata: sealMetadata(text, hash) });
      }
    }
  }

  close(): void {
    this.#database.close();
  }
}

/** Manipulates a copy of the log and verifies it. */
export const verifyManipulated = async (
  log: SealedLog,
  { name, apply, expected, isSealedAgain = false, isWithCopy = false }: Manipulation,
): Promise<{ readonly report: VerificationReport; readonly expected: ExpectedProblem }> => {
  const file = join(log.folder, `${name.replaceAll(' ', '-')}.db`);
  copyFileSync(log.file, file);
  const open = new OpenFile(file);
  const place = expected(open);
  apply(open);
  open.close();
  const store = await openSqliteEventStore({ file, readOnly: true });
  try {
    const stateStore = isSealedAgain ? createMemoryDocumentStore() : log.stateStore;
    if (isSealedAgain)
      await sealLog({ store, stateStore, applicationKey: insiderKey, log: silentLog }).runOnce(now);
    const kept = isWithCopy ? log.kept : null;
    return { report: await verifyShop({ store, stateStore, kept, now: () => now }), expected: place };
  } finally {
    await store.close();
  }
};
