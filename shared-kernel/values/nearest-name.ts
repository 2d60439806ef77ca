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

interface Named {
  readonly name: string;
  readonly distance: number;
}

const ranked = (given: string, known: readonly string[]): readonly Named[] => {
  const lower = given.toLowerCase();
  return known.map((name) => ({ name, distance: distance(lower, name.toLowerCase()) }));
};

/** The known name that is most like the given one, and how far it is from it. */
export const nearest = (given: string, known: readonly string[]): Named =>
  ranked(given, known).reduce((best, one) => (one.distance < best.distance ? one : best), {
    name: '',
    distance: Number.POSITIVE_INFINITY,
  });

/** Known names that may be meant: those that contain the given one, then those most like it. */
export const nearestNames = (given: string, known: readonly string[], most: number): readonly string[] => {
  const lower = given.toLowerCase();
  const isPart = (name: string): boolean => lower !== '' && name.toLowerCase().includes(lower);
  return ranked(given, known)
    .toSorted(
      (one, other) => Number(isPart(other.name)) - Number(isPart(one.name)) || one.distance - other.distance,
    )
    .slice(0, most)
    .map(({ name }) => name);
};
