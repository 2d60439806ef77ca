import { z } from 'zod';
import type { Document } from '#kernel/projection.ts';
import type { DisplayLocation } from '#values/upsells.ts';

/**
 * What is shown and clicked (docs/rules/upsell-performance.md#events). Collections of the state store: the command
 * service writes them, and the projection service reads how much there was on which day.
 */
export const upsellEventsCollection = 'upsell_events';
export const upsellDaysCollection = 'upsell_days';

/** One impression or click. Conversions are events of their invoice. */
export interface UpsellEventRow extends Document {
  readonly upsellRuleId: string;
  readonly eventType: 'Impression' | 'Click';
  /** The product that a client named; null of what the shop has shown itself. */
  readonly productId: string | null;
  /** Everything that was shown, and the roots of it. */
  readonly productIds: readonly string[];
  readonly productRootIds: readonly string[];
  readonly basketId: string | null;
  /** Of who was signed in. */
  readonly customerId: string | null;
  /** What was suggested after it had been paid. */
  readonly invoiceId: string | null;
  readonly displayLocation: DisplayLocation;
  /** ISO instant of the shop's clock. */
  readonly dateCreated: string;
}

export interface UpsellCounts {
  readonly impressions: number;
  readonly clicks: number;
}

/**
 * What there was of a rule in a month of the shop, or of every rule, and on each day of it. Kept for ever: there are as
 * many as months. Earlier releases kept a document a day, without `days`; what they wrote stays as it is.
 */
export interface UpsellMonth extends Document, UpsellCounts {
  /** `EVERY_RULE` for all of them together. */
  readonly upsellRuleId: string;
  /** `YYYY-MM`; `YYYY-MM-DD` of earlier releases. */
  readonly day: string;
  /** ISO instant; null while nothing was shown. */
  readonly firstImpression: string | null;
  /** By `YYYY-MM-DD`. */
  readonly days?: Readonly<Record<string, UpsellCounts>>;
}

/** Reported by storefronts. Entries that make no sense are ignored, without refusing the rest. */
const told = z.object({
  upsellRuleId: z.string().nullish().catch(null),
  displayLocation: z.union([z.string(), z.number()]).nullish().catch(null),
  productId: z.string().nullish().catch(''),
  eventType: z.union([z.string(), z.number()]).nullish().catch(null),
});
export type ReportedUpsellEvent = Partial<z.output<typeof told>>;

export const upsellEvents = z.object({ events: z.array(told.catch({})).nullish() });
