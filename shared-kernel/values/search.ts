type Text = string | null;

/** What `search` looks through: these texts in lower case, as the `contains` of a filter wants them. */
export const searchTextOf = (texts: readonly Text[]): string =>
  texts
    .filter((text) => text !== null)
    .join(' ')
    .toLowerCase();

/** Whether one of the texts has what is searched for, in any case. Nothing searched for: everything is found. */
export const isFound = (search: string | undefined, texts: readonly Text[]): boolean =>
  search === undefined || searchTextOf(texts).includes(search.toLowerCase());
