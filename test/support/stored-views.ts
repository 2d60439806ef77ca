import type { ViewReaderOptions } from '#projection/engine/reader.ts';

/** The engine of views that nothing follows: what there is of them is in the store. */
export const storedViews = (collectionOf: (view: string) => string): ViewReaderOptions['engine'] => ({
  collectionOf,
  fillingOf: () => null,
  shown: () => undefined,
  stateOf: () => null,
  write: () => Promise.resolve(),
});
