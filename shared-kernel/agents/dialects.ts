import type { DialectName } from './agent-request.ts';

export type Json = Readonly<Record<string, unknown>>;

/** What a dialect is told of the shop. */
export interface DialectContext {
  /** The version that stands in the answer. */
  readonly version: string;
  /** Where addresses of specifications and schemas begin. */
  readonly schemaBaseUrl: string;
}

/** One kind of answer in every dialect: it is written, and nothing is decided. */
export type Forms<Result, Written = Json> = Readonly<
  Record<DialectName, (result: Result, context: DialectContext) => Written>
>;

/** The same for results of which some are JSON text already, written before in the dialect of their answer. */
export const orAsWritten = <Result extends object>(
  forms: Forms<Result>,
): Forms<Result | string, Json | string> => {
  const form =
    (dialect: DialectName) =>
    (result: Result | string, context: DialectContext): Json | string =>
      typeof result === 'string' ? result : forms[dialect](result, context);
  return { '2026-04-08': form('2026-04-08'), '2026-01-11': form('2026-01-11'), draft: form('draft') };
};
