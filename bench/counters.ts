import { backofficeKey } from './backoffice.ts';

/** What a shop has counted since its start; null where its version does not. */
export interface Counters {
  /** To the log. */
  readonly appends: number | null;
  /** Of the read store. */
  readonly commits: number | null;
  /** Written to the read store, with checkpoints. */
  readonly documents: number | null;
}

export const countersOf = async (port: number): Promise<Counters> => {
  const headers = { authorization: `Bearer ${backofficeKey}` };
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`, { headers })).text();
  const figure = (name: string): number | null => {
    const found = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];
    return found === undefined ? null : Number(found);
  };
  return {
    appends: figure('tillroll_appends_total'),
    commits: figure('tillroll_read_store_commits_total'),
    documents: figure('tillroll_read_store_documents_total'),
  };
};
