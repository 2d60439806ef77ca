/** The path of a figure in its document: `rows.*.stock`, where `*` stands for every name and adds up. */
export type FigurePath = readonly string[];

export const pathOf = (figure: string): FigurePath => figure.split('.');

/** What the engine adds to a document is no figure of it. */
const isOwn = (name: string): boolean => !name.startsWith('_');

/** The number at a path of a document; null where there is none. */
export const figureAt = (value: unknown, [name, ...rest]: FigurePath): number | null => {
  if (name === undefined) return typeof value === 'number' ? value : null;
  if (typeof value !== 'object' || value === null) return null;
  const parts = Object.entries(value).filter(([own]) => isOwn(own) && (name === '*' || own === name));
  const found = parts.flatMap(([, part]) => figureAt(part, rest) ?? []);
  return found.length === 0 ? null : found.reduce((sum, one) => sum + one, 0);
};

/** The figures of a document, by their paths. */
export function* figuresOf(value: unknown, path: FigurePath = []): Generator<string> {
  if (typeof value === 'number') yield path.join('.');
  if (typeof value !== 'object' || value === null) return;
  for (const [name, part] of Object.entries(value)) if (isOwn(name)) yield* figuresOf(part, [...path, name]);
}
