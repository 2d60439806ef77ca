/**
 * The engine cannot be reached or did not answer in time: whether a write happened is unknown. The one retryable error
 * of a port; a caller of the shop gets a 503.
 */
export class EngineUnavailable extends Error {
  override readonly name = 'EngineUnavailable';
}

/** The stream does not end where the writer thought. Nothing was appended; the command is decided again. */
export class WrongExpectedRevision extends Error {
  override readonly name = 'WrongExpectedRevision';
  readonly stream: string;
  readonly expected: number;

  constructor(stream: string, expected: number) {
    super(`stream ${stream} does not end at revision ${expected}`);
    this.stream = stream;
    this.expected = expected;
  }
}

/**
 * A position is not that of an event: the log was restored to an older copy, or the position is of another log. Trying
 * again changes nothing.
 */
export class NoSuchPosition extends Error {
  override readonly name = 'NoSuchPosition';
  readonly position: number;

  constructor(position: number, options?: ErrorOptions) {
    super(`the log has no event at position ${position}: was it restored to an older copy?`, options);
    this.position = position;
  }
}

/**
 * Part of what a stream recorded is missing: it was cut or deleted. Nothing may be decided on the rest. Trying again
 * changes nothing; the operator has to restore it.
 */
export class StreamDamaged extends Error {
  override readonly name = 'StreamDamaged';
  readonly stream: string;

  constructor(stream: string, how: string, options?: ErrorOptions) {
    super(`stream ${stream} is damaged: ${how}`, options);
    this.stream = stream;
  }
}
