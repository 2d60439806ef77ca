/** What an earlier episode has come to know. */
export const known = (ids: ReadonlyMap<string, string>, what: string): string => {
  const id = ids.get(what);
  if (id === undefined) throw new Error(`no earlier episode knows the ${what}`);
  return id;
};
