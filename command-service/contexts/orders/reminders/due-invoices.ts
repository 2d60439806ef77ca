import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { Recorded } from '#kernel/event.ts';
import type { Fold, ReferencePart } from '#reference/reference-part.ts';
import { ChunkedEntries } from '#reference/chunked-entries.ts';
import { businessDay } from '#values/business-day.ts';
import {
  afterReminder,
  neverReminded,
  remindedFrom,
  type Reminded,
  type ReminderLimits,
} from '#values/reminders.ts';
import { idOf } from '#values/stream-name.ts';

export interface ReminderDays extends ReminderLimits {
  readonly timeZone: string;
}

/** Owed invoices with a due date, which may need a reminder. Their streams decide. */
export interface DueInvoices extends ReferencePart {
  /**
   * Takes at most `max` invoices that may need a reminder today, longest due first. This process does not return them
   * again until something happens to them, or they are put back.
   */
  takeDue(today: string, days: ReminderDays, max: number): readonly string[];
  /** Puts back an invoice that had no reminder due yet, or could not be reached. */
  putBack(invoiceId: string): void;
  count(): number;
}

interface Entry {
  /** ISO instant. */
  readonly dueDate: string;
  readonly reminded: Reminded;
}

const NONE = '-';

/** What a snapshot keeps: a string is written and read many times faster than an object. */
const lineOf = ({ dueDate, reminded: { isDueSoonSent, overdueSent, lastDay } }: Entry): string =>
  [dueDate, isDueSoonSent ? 1 : 0, overdueSent, lastDay ?? NONE].join(' ');

const entryOf = (line: string): Entry => {
  const [dueDate = '', isDueSoonSent, overdueSent, lastDay = NONE] = line.split(' ');
  const day = lastDay === NONE ? null : lastDay;
  return {
    dueDate,
    reminded: { isDueSoonSent: isDueSoonSent === '1', overdueSent: Number(overdueSent), lastDay: day },
  };
};

/** Invoices by the day of their next reminder. */
const createDays = () => {
  const days = new Map<string, Set<string>>();
  const dayOf = new Map<string, string>();
  let limits: ReminderDays | null = null;
  const leave = (id: string): void => {
    const day = dayOf.get(id);
    if (day === undefined) return;
    dayOf.delete(id);
    const others = days.get(day);
    others?.delete(id);
    if (others?.size === 0) days.delete(day);
  };
  const enter = (id: string, { dueDate, reminded }: Entry): void => {
    leave(id);
    // Days are unknown until first asked for.
    if (limits === null) return;
    const day = remindedFrom(businessDay(Date.parse(dueDate), limits.timeZone), reminded, limits);
    if (day === null) return;
    dayOf.set(id, day);
    const others = days.get(day);
    if (others) others.add(id);
    else days.set(day, new Set([id]));
  };
  const isSame = (one: ReminderDays, other: ReminderDays): boolean =>
    one.timeZone === other.timeZone &&
    one.reminderDaysBeforeDue === other.reminderDaysBeforeDue &&
    one.overdueReminderIntervalDays === other.overdueReminderIntervalDays &&
    one.maxOverdueReminders === other.maxOverdueReminders;
  return {
    enter,
    leave,
    /** Changed settings move everything that waits. */
    use: (wanted: ReminderDays, entries: ReadonlyMap<string, Entry>): void => {
      if (limits !== null && isSame(limits, wanted)) return;
      limits = { ...wanted };
      days.clear();
      dayOf.clear();
      for (const [id, entry] of entries) enter(id, entry);
    },
    take: (today: string, max: number): readonly string[] => {
      const taken: string[] = [];
      for (const day of [...days.keys()].filter((one) => one <= today).sort()) {
        for (const id of days.get(day) ?? []) {
          if (taken.length === max) break;
          taken.push(id);
        }
      }
      for (const id of taken) leave(id);
      return taken;
    },
    clear: (): void => {
      days.clear();
      dayOf.clear();
    },
  };
};

const createBook = () => {
  const entries = new Map<string, Entry>();
  const lines = new ChunkedEntries<string>();
  const days = createDays();
  return {
    entries,
    lines,
    days,
    set: (id: string, entry: Entry): void => {
      entries.set(id, entry);
      lines.set(id, lineOf(entry));
      days.enter(id, entry);
    },
    remove: (id: string): void => {
      entries.delete(id);
      lines.delete(id);
      days.leave(id);
    },
  };
};

const foldOf = ({ entries, set, remove }: ReturnType<typeof createBook>): Partial<Fold<InvoiceEvent>> => {
  const isOver = ({ stream }: Pick<Recorded, 'stream'>): void => remove(idOf(stream));
  return {
    // A purchase order's terms win over the invoice's original ones.
    PurchaseOrderAccepted: ({ stream, data: { dueDate } }) => {
      if (dueDate !== null) set(idOf(stream), { dueDate, reminded: neverReminded });
    },
    SaleConfirmed: ({ stream, data: { balance, content } }) => {
      const id = idOf(stream);
      const dueDate = content.accountTerms?.dueDate;
      if (balance.balanceDue === 0) remove(id);
      else if (dueDate && !entries.has(id)) set(id, { dueDate, reminded: neverReminded });
    },
    InvoiceEdited: ({ stream, data: { balance, content, isOfSale } }) => {
      const id = idOf(stream);
      const dueDate = content.accountTerms?.dueDate;
      if (balance.balanceDue === 0) remove(id);
      else if (isOfSale && dueDate && !entries.has(id)) set(id, { dueDate, reminded: neverReminded });
    },
    PaymentCaptured: ({ stream, data: { balance } }) => {
      if (balance.balanceDue === 0) remove(idOf(stream));
    },
    InvoiceReminded: ({ stream, data }) => {
      const entry = entries.get(idOf(stream));
      if (!entry) return;
      set(idOf(stream), { ...entry, reminded: afterReminder(entry.reminded, data, data.remindedDay) });
    },
    InvoiceSuperseded: isOver,
    InvoiceCancelled: isOver,
    InvoiceDeleted: isOver,
  };
};

/**
 * Folded from the log, with a snapshot, so that the reminder job scans nothing. Bounded by what customers with account
 * terms owe at a time.
 */
export const createDueInvoices = (): DueInvoices => {
  const book = createBook();
  const { entries, lines, days } = book;
  return {
    name: 'due-invoices',
    isBookkeeping: true,
    version: 1,
    on: foldOf(book),
    takeDue: (today, wanted, max) => {
      days.use(wanted, entries);
      return days.take(today, max);
    },
    putBack: (id) => {
      const entry = entries.get(id);
      if (entry) days.enter(id, entry);
    },
    count: () => entries.size,
    entries: lines,
    restore: (kept) => {
      for (const [id, line] of kept as readonly (readonly [string, string])[]) book.set(id, entryOf(line));
    },
    clear: () => {
      entries.clear();
      days.clear();
    },
  };
};
