/** Something that follows the log, and can be waited for. */
export interface LogProgress {
  readonly name: string;
  /** True once it has passed the position, false after `timeoutMs` of real time. */
  waitFor(position: number, timeoutMs: number): Promise<boolean>;
  /** Where it stands still, and why; null while it follows. Default: it never stops. */
  stopped?(): { readonly position: number; readonly message: string } | null;
}
