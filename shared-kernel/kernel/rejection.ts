/**
 * A broken rule. `code` is looked up in `http/errors.ts` for the status; `message` is for people: what happened, what
 * to do. `details` are further members of the answer's body (`requestedQuantity`, `errors`, …). `position` is that of
 * the log which the answer reflects, when something was recorded all the same.
 */
export class Rejection extends Error {
  override readonly name = 'Rejection';
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly position: number | undefined;

  constructor(
    code: string,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    position?: number,
  ) {
    super(message);
    this.code = code;
    this.details = details;
    this.position = position;
  }
}

/** A request that is refused for what it says; each error is `path: what was expected`. */
export const invalidRequest = (...errors: readonly string[]): Rejection =>
  new Rejection('invalid-request', 'The request is not valid.', { errors });
