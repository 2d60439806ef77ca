/** Positions of the log. */
export interface ReadUpTo {
  readonly position: number;
  readonly head: number;
}

/** How much of the log has been read, from 0 to 1. */
export const shareRead = ({ position, head }: ReadUpTo): number =>
  head <= 0 ? 0 : Math.min(1, Math.max(0, position / head));

/** The same in whole percent, for what is not done yet: 99 at most. */
export const percentRead = (upTo: ReadUpTo): number => Math.min(99, Math.floor(100 * shareRead(upTo)));
