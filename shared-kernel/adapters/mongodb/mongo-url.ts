import type { MongoClientOptions } from 'mongodb';

const defaultDatabase = 'tillroll';

/**
 * With these a frozen server is noticed within 4 s, what waits for it fails after 3 more, and one that is back is found
 * within half a second. Each can be set in the URL.
 */
const defaults = {
  appName: 'tillroll',
  maxPoolSize: 50,
  connectTimeoutMS: 2000,
  serverSelectionTimeoutMS: 3000,
  heartbeatFrequencyMS: 2000,
} satisfies MongoClientOptions;

/** What the port promises, whatever the URL says: an acknowledged write stays, and every later read sees it. */
const promises: MongoClientOptions = {
  retryReads: true,
  retryWrites: true,
  readPreference: 'primary',
  readConcern: { level: 'majority' },
  writeConcern: { w: 'majority', journal: true },
};

/** Our defaults where the URL says nothing, and what is not its to say. */
export function clientOptionsOf(url: string): MongoClientOptions {
  const query = new URLSearchParams(url.split('?')[1] ?? '');
  const given = new Set([...query.keys()].map((name) => name.toLowerCase()));
  const missing = Object.entries(defaults).filter(([name]) => !given.has(name.toLowerCase()));
  return { ...Object.fromEntries(missing), ...promises };
}

/** The database that the URL names, else `tillroll`. */
export function databaseOf(url: string): string {
  const [, name = ''] = /^[^:]+:\/\/[^/?]+\/([^?]*)/.exec(url) ?? [];
  return decodeURIComponent(name) || defaultDatabase;
}

/** The database beside the read models for what the log cannot rebuild (docs/architecture.md#engines). */
export const stateDatabaseOf = (readUrl: string): string => `${databaseOf(readUrl)}_state`;
