/**
 * So many entries for an `LRUCache`, as sizes of 1: told by `max`, it allocates the places of all of them when it is
 * made, which for tens of thousands takes megabytes, and milliseconds of each start.
 */
export const atMost = (
  entries: number,
): { readonly maxSize: number; readonly sizeCalculation: () => number } => ({
  maxSize: entries,
  sizeCalculation: () => 1,
});
