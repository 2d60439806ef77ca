import { errorBody } from '#contracts/error.contract.ts';
import { invalidRequest, Rejection } from '#kernel/rejection.ts';
import type { ErrorForm, Problem } from './surface.ts';

/** `{ success: false, code, message, … }` */
export const shopErrors: ErrorForm = {
  name: 'Error',
  schema: errorBody,
  write: ({ code, message, details }) => ({ json: { success: false, code, message, ...details } }),
};

const lineOf = ([path, expected]: Problem): string => (path === '' ? expected : `${path}: ${expected}`);

/** For people at a form with many fields: one line for each problem. */
export const problemsAsList = (problems: readonly Problem[]): Rejection =>
  invalidRequest(...problems.map(lineOf));

/** For shoppers: all in one message, and by field; under no name what concerns the request as a whole. */
export const problemsByField = (problems: readonly Problem[]): Rejection =>
  new Rejection('invalid-request', problems.map(lineOf).join('; '), { errors: Object.fromEntries(problems) });
