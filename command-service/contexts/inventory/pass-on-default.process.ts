import { callsOf, type Process } from '#kernel/process.ts';
import { to } from '#kernel/stream.ts';
import { stockStream } from './stock.stream.ts';

/** A product whose default variant has sold out. */
export interface SoldOutDefault {
  /** Of the row that had the last units. */
  readonly stockId: string;
  readonly rootId: string;
  readonly variantId: string;
}

export interface PassingOnCalls {
  readonly passOn: (variant: Omit<SoldOutDefault, 'stockId'>) => Promise<unknown>;
}

const call = callsOf<PassingOnCalls>();

/** From a default variant that has sold out to the sibling that takes its place. */
export const passOnDefault: Process<SoldOutDefault, null> = {
  name: 'pass-on-default',
  on: { DefaultVariantSoldOut: 'opens', DefaultVariantPassedOn: 'ends' },
  takenOver: null,
  begins: () => null,
  steps: [
    {
      name: 'make a sibling the default',
      commands: ({ rootId, variantId }) => [call('passOn', { rootId, variantId })],
      // The product may have been deleted meanwhile.
      isTidyingUp: true,
    },
  ],
  completes: ({ stockId }) => to(stockStream, stockId, { type: 'EndPassingOnDefault' }),
  fails: null,
};
