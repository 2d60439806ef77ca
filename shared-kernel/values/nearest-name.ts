/** Changes that turn one word into the other: letters put in, left out or replaced. */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [column, candidate] of [...other].entries()) {
      const replaced = (row[column] ?? 0) + (letter === candidate ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
};

/** The known name that is most like the given one, and how far it is from it. */
export const nearest = (
  given: string,
  known: readonly string[],
): { readonly name: string; readonly distance: number } => {
  const lower = given.toLowerCase();
  const ranked = known.map((name) => ({ name, distance: distance(lower, name.toLowerCase()) }));
  return ranked.reduce((best, one) => (one.distance < best.distance ? one : best), {
    name: '',
    distance: Number.POSITIVE_INFINITY,
  });
};
