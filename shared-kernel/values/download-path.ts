/**
 * Whether a text is the path of a file below the folder of downloads: names with `/` between them. A path that leads
 * out of the folder is refused, on every system (docs/rules/catalogue.md#digital-products).
 */
export const isDownloadPath = (path: string): boolean =>
  !/[\u0000-\u001f\u007f\\:]/.test(path) &&
  path.split('/').every((name) => name !== '' && name !== '.' && name !== '..');

/** What its buyer calls a file: the last part of its path. */
export const fileNameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
