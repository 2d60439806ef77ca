import { errorBody } from '#contracts/error.contract.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { ErrorForm, Problem } from './surface.ts';

/** `{ success: false, message, … }` */
export const shopErrors: ErrorForm = {
  name: 'Error',
  schema: errorBody,
  write: ({ message, details }) => ({ json: { success: false, message, ...details } }),
};

const lineOf = ([path, expected]: Problem): string => (path === '' ? expected : `${path}: ${expected}`);

/** For people at a form with many fields: one line for each problem. */
export const problemsAsList = (problems: readonly Problem[]): Rejection =>
  new Rejection('invalid-request', 'The request is not valid.', { errors: problems.map(lineOf) });

/** For shoppers: all in one message, and by field. */
export const problemsByField = (problems: readonly Problem[]): Rejection =>
  new Rejection('invalid-request', problems.map(lineOf).join('; '), {
    errors: Object.fromEntries(problems.filter(([path]) => path !== '')),
  });
