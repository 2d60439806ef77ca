/** Bytes of a file, both ends included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The part of a file that a Range header asks for; null for all of it: also where it asks for several parts or is
 * malformed (RFC 9110, 14.2). `beyond`: past the end of the file.
 */
export const byteRangeOf = (header: string | undefined, bytes: number): ByteRange | 'beyond' | null => {
  const asked = /^\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header ?? '');
  if (!asked) return null;
  const [, first = '', last = ''] = asked;
  if (first === '') {
    if (last === '') return null;
    const length = Math.min(Number(last), bytes);
    return length === 0 ? 'beyond' : { start: bytes - length, end: bytes - 1 };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return null;
  if (start >= bytes) return 'beyond';
  return { start, end: last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1) };
};
