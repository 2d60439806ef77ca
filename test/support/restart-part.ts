import type { ReferencePart } from '#reference/reference-part.ts';

/** Everything that a part says of itself, as its snapshot would hold it. */
export const snapshotOf = (part: ReferencePart): readonly (readonly [key: string, kept: unknown])[] =>
  part.entries.take(() => false).chunks.flatMap((slice) => slice.entries());

/** The part as it is after a restart, given an empty one. */
export const restarted = <Part extends ReferencePart>(empty: Part, before: ReferencePart): Part => {
  empty.restore(JSON.parse(JSON.stringify(snapshotOf(before))) as ReturnType<typeof snapshotOf>);
  return empty;
};

/** All of them, in the order of `before`. */
export const restartedAll = <Whole extends { readonly parts: readonly ReferencePart[] }>(
  empty: Whole,
  before: { readonly parts: readonly ReferencePart[] },
): Whole => {
  for (const [index, part] of before.parts.entries()) {
    const after = empty.parts[index];
    if (after) restarted(after, part);
  }
  return empty;
};
