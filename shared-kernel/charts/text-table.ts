/** A column is aligned to the left when it holds words, to the right when it holds figures. */
type Align = 'left' | 'right';

/** Rows of cells in columns, for the terminal. */
export const table = (rows: readonly (readonly string[])[], aligns: readonly Align[]): string => {
  const widths = aligns.map((_, place) =>
    rows.reduce((width, row) => Math.max(width, [...(row[place] ?? '')].length), 0),
  );
  const padded = (cell: string, place: number): string => {
    const blanks = ' '.repeat((widths[place] ?? 0) - [...cell].length);
    return aligns[place] === 'right' ? blanks + cell : cell + blanks;
  };
  return rows.map((row) => `  ${row.map(padded).join('   ').trimEnd()}\n`).join('');
};
