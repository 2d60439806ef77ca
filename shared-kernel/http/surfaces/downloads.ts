import { z } from 'zod';
import { errorBody } from '#contracts/error.contract.ts';
import type { ErrorForm, Surface } from './surface.ts';
import { storefront } from './storefront.ts';

/** `{ error, success: false, code, message, … }`: some storefronts look for the text under the first name. */
const downloadErrors: ErrorForm = {
  name: 'DownloadError',
  schema: errorBody.extend({ error: z.string() }),
  write: ({ code, message, details }) => ({
    json: { error: message, success: false, code, message, ...details },
  }),
};

/** The files that members have bought: no cache between them and the shop keeps any. */
export const downloads: Surface = {
  ...storefront,
  name: 'downloads',
  title: 'Downloads',
  mountPoints: ['/api/shop/downloads'],
  callers: ['member'],
  errors: downloadErrors,
  cacheControl: 'private, no-store',
};
