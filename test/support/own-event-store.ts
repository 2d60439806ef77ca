import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreDoubleProcess } from './eventstoredb/double-process.ts';
import { givenEventStore, GivenEventStoreForAShop, type Blow } from './given-event-store.ts';
import { skipFor } from './real-engine.ts';

/** The event store that one shop has to itself, for a log belongs to one shop. */
export interface OwnEventStore {
  readonly address: string;
  /** Takes it away, or the node that leads it. */
  strike(blow: Blow): Promise<void>;
  /** Gives back what the blow took. */
  mend(blow: Blow): Promise<void>;
  close(): Promise<void>;
}

const blowsOfTheDouble: readonly Blow[] = ['kill', 'freeze'];

const openDouble = async (): Promise<OwnEventStore> => {
  const folder = mkdtempSync(join(tmpdir(), 'tillroll-log-'));
  const double = await new EventStoreDoubleProcess(join(folder, 'events.log')).start();
  return {
    address: double.address,
    strike: async (blow) => (blow === 'kill' ? double.kill() : double.suspend()),
    mend: async (blow) => void (blow === 'kill' ? await double.start() : double.resume()),
    close: async () => {
      await double.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

/** The server that TEST_EVENT_STORE_RESET empties; without it, a double of EventStoreDB in a process of its own. */
export const openOwnEventStore = async (env: NodeJS.ProcessEnv = process.env): Promise<OwnEventStore> => {
  const given = givenEventStore(env);
  return given ? GivenEventStoreForAShop.open(given) : openDouble();
};

/** Declares tests that strike the event store. Where it cannot be struck so, they are counted as skipped. */
export const onStrike = (blow: Blow, tests: () => void): void => {
  const given = givenEventStore();
  if (given ? given.strikes.has(blow) : blowsOfTheDouble.includes(blow)) tests();
  else skipFor(`TEST_EVENT_STORE_STRIKES names no ${blow}`, tests);
};
