import type { Episode } from './day.ts';
import { fulfilmentEpisodes } from './fulfilment-episodes.ts';
import { leftEpisodes } from './left-episodes.ts';
import { orderEpisodes } from './order-episodes.ts';
import { staffEpisodes } from './staff-episodes.ts';

/** In this order: later ones build on earlier ones. */
export const episodes: readonly Episode[] = [
  ...staffEpisodes.opening,
  ...orderEpisodes,
  ...fulfilmentEpisodes,
  ...leftEpisodes,
  ...staffEpisodes.closing,
];
