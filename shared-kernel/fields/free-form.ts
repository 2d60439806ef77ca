import type { z } from 'zod';

/** How deep a free-form value may nest, and how large its JSON may be. */
const MAX_FREE_DEPTH = 20;
const MAX_FREE_BYTES = 64_000;
/** How deep a whole body may nest: its own fields, and somewhere in it a free value. */
const MAX_BODY_DEPTH = 32;

/**
 * Where a value nests deeper than `limit` levels: the path of the first object or list that is too deep, or null. A
 * scalar has no level. Never descends further, so that no depth exhausts the stack.
 */
const tooDeepAt = (value: unknown, limit: number): readonly string[] | null => {
  if (typeof value !== 'object' || value === null) return null;
  if (limit === 0) return [];
  for (const [key, child] of Object.entries(value)) {
    const path = tooDeepAt(child, limit - 1);
    if (path) return [key, ...path];
  }
  return null;
};

/** The part of a path that is enough to find the place. */
const SHOWN_PARTS = 3;

/** What is wrong with the depth of a whole body or store file, and where; null when nothing is. */
export const depthProblem = (body: unknown): { readonly path: string; readonly expected: string } | null => {
  const path = tooDeepAt(body, MAX_BODY_DEPTH);
  if (path === null) return null;
  const shown = path.length > SHOWN_PARTS ? [...path.slice(0, SHOWN_PARTS), '…'] : path;
  return { path: shown.join('.'), expected: `must be at most ${MAX_BODY_DEPTH} levels of nesting` };
};

/** Depth first: what is measured as JSON no longer nests without end. */
const problemOf = (value: unknown): string | null => {
  if (tooDeepAt(value, MAX_FREE_DEPTH)) return `must be at most ${MAX_FREE_DEPTH} levels of nesting`;
  const text = JSON.stringify(value) as string | undefined;
  return text !== undefined && Buffer.byteLength(text) > MAX_FREE_BYTES
    ? `must be at most ${MAX_FREE_BYTES} bytes of JSON`
    : null;
};

/** Bounds a value that callers fill as they like, so that every engine and every reader can take it. */
export const freeForm = <Schema extends z.ZodType>(schema: Schema): Schema =>
  schema.superRefine((value, context) => {
    const problem = problemOf(value);
    if (problem !== null) context.addIssue({ code: 'custom', message: problem });
  });
