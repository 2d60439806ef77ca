import type { DatabaseSync } from 'node:sqlite';

/** What a file of ours holds; its version stands in the file. */
export interface FileFormat {
  /** As it is called in messages, with its article. */
  readonly name: string;
  readonly version: number;
  /** Statements that make the tables. */
  readonly tables: string;
}

const versionOf = (database: DatabaseSync): number =>
  Number(database.prepare('PRAGMA user_version').get()?.['user_version']);

/** Makes the tables of a file that is new; closes and refuses one of another format. */
export const createTables = (database: DatabaseSync, file: string, format: FileFormat): void => {
  if (versionOf(database) === 0) database.exec(`${format.tables} PRAGMA user_version = ${format.version};`);
  refuseOtherFormats(database, file, format);
};

/** Closes and refuses a file of another format. */
export const refuseOtherFormats = (
  database: DatabaseSync,
  file: string,
  { name, version }: FileFormat,
): void => {
  const found = versionOf(database);
  if (found === version) return;
  database.close();
  throw new Error(`${file} is not ${name} of format ${version} (found ${found})`);
};
