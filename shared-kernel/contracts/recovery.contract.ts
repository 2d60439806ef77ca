import { z } from 'zod';
import { basketFields } from './basket.contract.ts';

/** Any text: what is wrong with a token is told by none of its links. */
export const recoveryParams = z.object({ token: z.string() });

export const unsubscribedResponse = z.object({ success: z.literal(true), message: z.string() });

/** GET /recover/{token} (docs/rules/abandoned-checkouts.md#coming-back). */
export const recoveredResponse = z.object({
  success: z.literal(true),
  message: z.string(),
  basket: basketFields,
  hasUnavailableItems: z.boolean(),
  unavailableItems: z.array(
    z.object({
      lineItemId: z.string(),
      sku: z.string(),
      name: z.string(),
      hasStock: z.boolean(),
      canShipToLocation: z.boolean(),
      statusMessage: z.string(),
    }),
  ),
});

/** GET /continue/{token} (docs/rules/agent-hand-over.md#the-link). */
export const handedOverResponse = recoveredResponse.extend({ email: z.string().nullable() });

/** GET /recover/{token}/validate: nothing is changed. */
export const linkValidity = z.union([
  z.object({ valid: z.literal(false), isValid: z.literal(false), message: z.string() }),
  z.object({
    valid: z.literal(true),
    isValid: z.literal(true),
    basketTotal: z.number(),
    formattedTotal: z.string(),
    /** Lines, not units. */
    itemCount: z.int(),
    /** Not all of it: a link may have been passed on. */
    customerEmail: z.string().nullable(),
  }),
]);
export type LinkValidity = z.output<typeof linkValidity>;

/** POST /abandoned-checkouts/{id}/resend-email. */
export const resentMail = z.object({
  success: z.literal(true),
  message: z.string(),
  /** False where no mail is switched on for this place in the sequence. */
  emailQueued: z.boolean(),
});

/** POST /abandoned-checkouts/{id}/regenerate-link. */
export const regeneratedLink = z.object({ recoveryLink: z.string() });
