/** Something that follows the log, and can be waited for. */
export interface LogProgress {
  readonly name: string;
  /** True once it has passed the position, false after `timeoutMs` of real time. */
  waitFor(position: number, timeoutMs: number): Promise<boolean>;
}
