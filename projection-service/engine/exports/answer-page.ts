import type { Export, ExportSources, PageAnswer, PageQuestion } from './export.ts';
import { exportText } from './export-text.ts';

const utf8 = new TextEncoder();

/** A page of an export as text. Errors: `EngineUnavailable`. */
export const answerPage = async (
  exports: readonly Export[],
  sources: ExportSources,
  { view, format, collection, asked, after, rowsBefore }: PageQuestion,
): Promise<PageAnswer> => {
  const found = exports.find((one) => one.view === view);
  if (!found) throw new TypeError(`nothing exports the view "${view}"`);
  const { rows, next } = await found.read(sources, { collection, asked: asked as never, after });
  const stretch = { columns: found.columns, isFirst: after === null, isLast: next === null, rowsBefore };
  return { text: utf8.encode(exportText(format, rows, stretch)), rows: rows.length, next };
};
