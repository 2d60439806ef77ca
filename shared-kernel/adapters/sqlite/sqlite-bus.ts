import type { Bus } from '#ports/bus.ts';
import { EmbeddedBus, type EmbeddedBusOptions } from '#adapters/embedded-bus/embedded-bus.ts';
import { makePrivateFile } from '#runtime/private-files.ts';
import { SqliteMessageLog, type MessageLogOptions, type Retention } from './bus-message-log.ts';
import { naming } from './file-damage.ts';
import { holdWriterLock } from './sqlite-lock.ts';

export interface SqliteBusOptions extends Omit<EmbeddedBusOptions, 'log'>, MessageLogOptions {
  readonly retention?: Partial<Retention>;
  /** How often the retention is seen to. Default: once a minute. */
  readonly sweepEveryMilliseconds?: number;
}

export interface SqliteBus extends Bus {
  /** Transactions since the start, for metrics. */
  readonly commits: number;
  /** Removes the messages whose time is up, a thousand in a transaction, and returns how many it were. */
  sweep(): Promise<number>;
}

/**
 * A committed message stays an hour for new groups; an uncommitted one goes after a week, so that a group that is
 * gone, or never came, does not fill the disk.
 */
const defaultRetention: Retention = {
  committedMilliseconds: 3_600_000,
  longestMilliseconds: 7 * 24 * 3_600_000,
};

/** The bus in one SQLite file. Throws `HeldByAnotherProcess` when someone else has it open. */
export const openSqliteBus = async (options: SqliteBusOptions): Promise<SqliteBus> => {
  makePrivateFile(options.file);
  const lock = holdWriterLock(options.file);
  try {
    return naming('bus', options.file, () => createSqliteBus(options, new SqliteMessageLog(options, lock)));
  } catch (error) {
    lock.release();
    throw error;
  }
};

const createSqliteBus = (
  { redeliveryPause, retention, sweepEveryMilliseconds = 60_000 }: SqliteBusOptions,
  log: SqliteMessageLog,
): SqliteBus => {
  const bus = new EmbeddedBus({ log, redeliveryPause });
  const sweep = (): Promise<number> => log.sweep({ ...defaultRetention, ...retention });
  // What one sweep cannot remove is left to the next one.
  const timer = setInterval(() => void sweep().catch(() => undefined), sweepEveryMilliseconds).unref();
  return {
    declareTopic: (topic, partitions) => bus.declareTopic(topic, partitions),
    publish: (topic, messages) => bus.publish(topic, messages),
    consume: (consumer) => bus.consume(consumer),
    lag: (topic, group) => bus.lag(topic, group),
    ping: () => bus.ping(),
    sweep,
    close: () => {
      clearInterval(timer);
      return bus.close();
    },
    get commits() {
      return log.commits;
    },
  };
};
