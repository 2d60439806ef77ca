/** Typing errors between two words, by the definition: letters added, left out, replaced, or changed places. */
const errorsBetween = (one: string, other: string): number => {
  const rows = Array.from({ length: one.length + 1 }, () => new Array<number>(other.length + 1).fill(0));
  const at = (row: number, column: number): number => rows[row]?.[column] ?? 0;
  for (let row = 0; row <= one.length; row++)
    for (let column = 0; column <= other.length; column++) {
      const line = rows[row] as number[];
      if (row === 0 || column === 0) line[column] = row + column;
      else {
        const isSame = one[row - 1] === other[column - 1];
        const isTurned =
          row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
        line[column] = Math.min(
          at(row - 1, column - 1) + (isSame ? 0 : 1),
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          isTurned ? at(row - 2, column - 2) + 1 : Infinity,
        );
      }
    }
  return at(one.length, other.length);
};

/** Whether a word begins with the wanted one but for one error. */
export const beginsNear = (word: string, wanted: string): boolean =>
  Array.from({ length: word.length + 1 }, (_, end) => word.slice(0, end)).some(
    (beginning) => errorsBetween(beginning, wanted) <= 1,
  );
