import type { RelevancePlace } from '#reference/search/find-products.ts';

const MAX_SCORE = 1_000_000;

/** A place in a list, as agents hand it back. */
export const cursorOf = ({ score, name, id }: RelevancePlace): string =>
  Buffer.from(JSON.stringify([score, name, id])).toString('base64url');

const parsed = (cursor: string): unknown => {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return null;
  }
};

/** Undefined where no cursor of ours says this. */
export const placeIn = (cursor: string): RelevancePlace | undefined => {
  const given = parsed(cursor);
  if (!Array.isArray(given)) return undefined;
  const [score, name, id] = given as readonly unknown[];
  const isScore = Number.isInteger(score) && Number(score) >= 0 && Number(score) <= MAX_SCORE;
  return isScore && typeof name === 'string' && typeof id === 'string'
    ? { score: Number(score), name, id }
    : undefined;
};
