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
