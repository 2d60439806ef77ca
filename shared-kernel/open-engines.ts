import type { Logger } from 'pino';
import type { Bus } from '#ports/bus.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { EventStore } from '#ports/event-store.ts';
import type {
  BusChoice,
  DocumentStoreChoice,
  EngineChoices,
  EventStoreChoice,
} from '#runtime/config-engines.ts';

// Adapters are imported where their engine is chosen: a start loads no client that it does not use.

/** The engines of a process. */
export interface Engines {
  readonly store: EventStore;
  readonly readStore: DocumentStore;
  readonly stateStore: DocumentStore;
  readonly bus: Bus;
}

export interface OpenOptions {
  /** Beside a running shop: embedded engines are only read. */
  readonly readOnly?: boolean;
  /** Likewise, whichever engines: what is written to document stores is kept in memory, for this process alone. */
  readonly isScratch?: boolean;
  /**
   * False where everything can be rebuilt and nothing else waits meanwhile: embedded engines write in this thread and
   * wait for the disk only when they are closed. A kill costs nothing, a power cut the last moments of each, which
   * then need not fit together. Default true.
   */
  readonly isPrecious?: boolean;
  /** Told when a server goes away and comes back. Default: no log. */
  readonly log?: Pick<Logger, 'info' | 'warn' | 'error'>;
}

const logged = (log: OpenOptions['log']) => (log ? { log } : {});

/** How an embedded engine writes. */
interface Care {
  readonly synchronous: 'FULL' | 'NORMAL';
  readonly mode: 'thread' | 'inline';
}

const careOf = ({ isPrecious = true }: OpenOptions): Care =>
  isPrecious ? { synchronous: 'FULL', mode: 'thread' } : { synchronous: 'NORMAL', mode: 'inline' };

const openEventStore = async (choice: EventStoreChoice, options: OpenOptions): Promise<EventStore> => {
  const { readOnly = false, log } = options;
  switch (choice.kind) {
    case 'memory':
      return (await import('#adapters/memory/memory-event-store.ts')).createMemoryEventStore();
    case 'sqlite': {
      const { openSqliteEventStore } = await import('#adapters/sqlite/sqlite-event-store.ts');
      return openSqliteEventStore({ file: choice.file, readOnly, ...careOf(options) });
    }
    case 'eventstoredb': {
      const { openEventStoreDb } = await import('#adapters/eventstoredb/eventstoredb-event-store.ts');
      return openEventStoreDb({ address: choice.address, ...logged(log) });
    }
  }
};

const openDocumentStore = async (
  choice: DocumentStoreChoice,
  care: Care,
  { readOnly = false }: OpenOptions,
): Promise<DocumentStore> => {
  switch (choice.kind) {
    case 'memory':
      return (await import('#adapters/memory/memory-document-store.ts')).createMemoryDocumentStore();
    case 'sqlite': {
      const { openSqliteDocumentStore } = await import('#adapters/sqlite/sqlite-document-store.ts');
      return openSqliteDocumentStore({ file: choice.file, readOnly, ...care });
    }
    case 'mongodb': {
      const { openMongoDocumentStore } = await import('#adapters/mongodb/mongo-document-store.ts');
      const { stateDatabaseOf } = await import('#adapters/mongodb/mongo-url.ts');
      const { address: url, isBeside } = choice;
      return openMongoDocumentStore({ url, ...(isBeside && { database: stateDatabaseOf(url) }) });
    }
  }
};

/** For a thread that only reads: a connection of its own, on which nothing is written. */
export const openForReading = (choice: DocumentStoreChoice): Promise<DocumentStore> =>
  openDocumentStore(choice, { synchronous: 'NORMAL', mode: 'inline' }, { readOnly: true });

/**
 * For what fills read models beside the process that holds them: a connection of its own, which gives way to that one
 * and waits for no disk.
 */
export const openForFilling = async (choice: DocumentStoreChoice): Promise<DocumentStore> => {
  if (choice.kind !== 'sqlite')
    return openDocumentStore(choice, { synchronous: 'NORMAL', mode: 'thread' }, {});
  const { openSqliteDocumentStore } = await import('#adapters/sqlite/sqlite-document-store.ts');
  return openSqliteDocumentStore({ file: choice.file, synchronous: 'NORMAL', exclusive: false });
};

const scratchOver = async (base: DocumentStore): Promise<DocumentStore> => {
  const { createScratchDocumentStore } = await import('#adapters/memory/scratch-document-store.ts');
  return createScratchDocumentStore(base);
};

/** The same for the log. */
export const openLogForReading = (choice: EventStoreChoice): Promise<EventStore> =>
  openEventStore(choice, { readOnly: true, isPrecious: false });

const openBus = async (choice: BusChoice, { readOnly = false, log }: OpenOptions): Promise<Bus> => {
  // A command line beside a running shop has nothing to say.
  if (choice.kind === 'memory' || readOnly)
    return (await import('#adapters/memory/memory-bus.ts')).createMemoryBus();
  if (choice.kind === 'kafka') {
    const { openKafkaBus } = await import('#adapters/kafka/kafka-bus.ts');
    return openKafkaBus({ address: choice.address, ...logged(log) });
  }
  return (await import('#adapters/sqlite/sqlite-bus.ts')).openSqliteBus({ file: choice.file });
};

/** Opens the chosen engines. All but the read store, which can be rebuilt, wait for the disk, unless told otherwise. */
export const openEngines = async (choices: EngineChoices, options: OpenOptions = {}): Promise<Engines> => {
  // The log first: its lock says who holds the data folder.
  const store = await openEventStore(choices.events, options);
  const opened: { close(): Promise<void> }[] = [store];
  const keep = async <Engine extends { close(): Promise<void> }>(
    opening: Promise<Engine>,
  ): Promise<Engine> => {
    const engine = await opening;
    opened.push(engine);
    return engine;
  };
  const documents = async (choice: DocumentStoreChoice, care: Care): Promise<DocumentStore> => {
    const base = await keep(openDocumentStore(choice, care, options));
    return options.isScratch ? scratchOver(base) : base;
  };
  try {
    const readStore = await documents(choices.read, { ...careOf(options), synchronous: 'NORMAL' });
    const stateStore = await documents(choices.state, careOf(options));
    const bus = await keep(openBus(choices.bus, options));
    return { store, readStore, stateStore, bus };
  } catch (error) {
    await Promise.all(opened.map((engine) => engine.close()));
    throw error;
  }
};

/** Closes the engines, the state store last: others may still write there while closing. */
export const closeEngines = async ({ store, readStore, stateStore, bus }: Engines): Promise<void> => {
  await Promise.all([store.close(), readStore.close(), bus.close()]);
  await stateStore.close();
};
