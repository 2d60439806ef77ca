import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { IOptions } from 'sanitize-html';
import { htmlRules } from '#values/html-rules.ts';
import type { StoreSettings } from '#values/store-settings.ts';

/** A page of the checkout for people to read. */
export interface TermsPage {
  readonly key: string;
  readonly title: string;
  /** Safe to show as it is: without scripts, styles, forms and frames. */
  readonly html: string;
}

export interface TermsSources {
  readonly settings: () => Pick<StoreSettings, 'termsHtml' | 'privacyHtml'>;
  /** Where pages with other keys lie. */
  readonly viewsFolder: string;
}

const MAX_KEY_LETTERS = 100;
const MAX_PAGE_BYTES = 500_000;
/** Pages that have been made safe; a shop has a handful. */
const MAX_KEPT_PAGES = 50;

/** A key as pages are named by it, or null: letters a to z in any case; other characters are dropped. */
export const termsKey = (given: string): string | null => {
  const letters = given.replace(/[^a-z]/gi, '').toLowerCase();
  return letters === '' || letters.length > MAX_KEY_LETTERS ? null : letters;
};

const capitalised = (key: string): string => `${key.slice(0, 1).toUpperCase()}${key.slice(1)}`;

const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'EISDIR', 'ENOTDIR', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '');

/** The text of a file that is there and no larger than a page may be, or null. */
const readPage = async (path: string): Promise<string | null> => {
  try {
    await using file = await open(path, 'r');
    const { size } = await file.stat();
    return size > MAX_PAGE_BYTES ? null : await file.readFile('utf8');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
};

const toSafeHtml = async (html: string): Promise<string> => {
  // Loaded with the first page: who starts a shop need not wait for it.
  const { default: sanitizeHtml } = await import('sanitize-html');
  const options: IOptions = {
    allowedTags: htmlRules.tags,
    allowedAttributes: htmlRules.attributes,
    allowedSchemes: htmlRules.linkSchemes,
    allowedSchemesByTag: { img: htmlRules.imageSchemes },
    allowProtocolRelative: false,
  };
  return sanitizeHtml(html, options);
};

/** Finds the pages of the checkout: of the store's settings, or of its folder (docs/rules/checkout.md#pages). */
export const createTerms = ({ settings, viewsFolder }: TermsSources) => {
  const safe = new Map<string, { readonly source: string; readonly html: string }>();

  const sourceOf = (key: string): Promise<string | null> | string | null => {
    const { termsHtml, privacyHtml } = settings();
    if (key === 'terms') return termsHtml;
    if (key === 'privacy') return privacyHtml;
    return readPage(join(viewsFolder, `${capitalised(key)}.html`));
  };

  return async (key: string): Promise<TermsPage | null> => {
    const source = await sourceOf(key);
    if (source === null || source.trim() === '') return null;
    let page = safe.get(key);
    if (page?.source !== source) {
      page = { source, html: await toSafeHtml(source) };
      if (safe.size >= MAX_KEPT_PAGES) safe.clear();
      safe.set(key, page);
    }
    return { key, title: capitalised(key), html: page.html };
  };
};
