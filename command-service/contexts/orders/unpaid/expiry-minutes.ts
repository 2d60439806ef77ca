import { defaultStoreSettings, type UnpaidLimits } from '#values/store-settings.ts';
import { expiresAt, type UnpaidAge } from '../../invoices/unpaid-invoice.state.ts';

export interface Expiring {
  readonly id: string;
  /** Null: cannot expire yet. */
  readonly age: UnpaidAge | null;
  minute: number | null;
}

const MINUTE = 60_000;

/**
 * Invoices by the minute in which they expire. Entering, leaving and finding nothing due cost next to nothing, however
 * many wait; what has left takes no memory.
 */
export const createExpiryMinutes = () => {
  const minutes = new Map<number, Set<Expiring>>();
  let limits: UnpaidLimits = defaultStoreSettings;

  const leave = (entry: Expiring): void => {
    if (entry.minute === null) return;
    const others = minutes.get(entry.minute);
    others?.delete(entry);
    if (others?.size === 0) minutes.delete(entry.minute);
    entry.minute = null;
  };

  /** Also moves an entry whose age has changed. */
  const enter = (entry: Expiring): void => {
    leave(entry);
    if (entry.age === null) return;
    entry.minute = Math.floor(expiresAt(entry.age, limits) / MINUTE);
    const others = minutes.get(entry.minute);
    if (others) others.add(entry);
    else minutes.set(entry.minute, new Set([entry]));
  };

  return {
    enter,
    leave,
    /** Takes expired invoices out, oldest minutes first. */
    take: (now: number, max: number): readonly string[] => {
      const due = [...minutes.keys()].filter((minute) => minute * MINUTE <= now).sort((a, b) => a - b);
      const taken: string[] = [];
      for (const minute of due) {
        for (const entry of minutes.get(minute) ?? []) {
          if (taken.length === max) return taken;
          if (entry.age === null || expiresAt(entry.age, limits) > now) continue;
          leave(entry);
          taken.push(entry.id);
        }
      }
      return taken;
    },
    /** Changed limits move everything that waits. */
    use: ({ unpaidHoldMinutes, unpaidInvoiceExpiryMinutes }: UnpaidLimits): void => {
      const isSame =
        unpaidHoldMinutes === limits.unpaidHoldMinutes &&
        unpaidInvoiceExpiryMinutes === limits.unpaidInvoiceExpiryMinutes;
      if (isSame) return;
      limits = { unpaidHoldMinutes, unpaidInvoiceExpiryMinutes };
      const waiting = [...minutes.values()];
      minutes.clear();
      for (const entries of waiting) {
        for (const entry of entries) {
          entry.minute = null;
          enter(entry);
        }
      }
    },
  };
};
