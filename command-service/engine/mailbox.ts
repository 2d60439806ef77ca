/** What waits for one key, in the order of arrival. */
export interface Mailbox<Item> {
  /** The next item, which stays; undefined when nothing waits. */
  peek(): Item | undefined;
  take(): Item | undefined;
  /** Puts items back before all others. */
  putBack(items: readonly Item[]): void;
}

/** One mailbox per key. Work for one key runs one piece after another, work for different keys at the same time. */
export interface Mailboxes<Item> {
  post(key: string, item: Item): void;
  /** Nothing waits for this key, and nothing runs. */
  isIdle(key: string): boolean;
  /** How many items wait, of all keys. */
  depth(): number;
  /** Resolves once nothing waits and nothing runs. */
  drain(): Promise<void>;
}

/** `work` takes at least one item per call and never throws; it is called again while items wait. */
export const createMailboxes = <Item>(
  work: (key: string, mailbox: Mailbox<Item>) => Promise<void>,
): Mailboxes<Item> => {
  const waiting = new Map<string, Item[]>();
  let whenIdle: (() => void)[] = [];

  const run = async (key: string, items: Item[]): Promise<void> => {
    const mailbox: Mailbox<Item> = {
      peek: () => items[0],
      take: () => items.shift(),
      putBack: (again) => void items.unshift(...again),
    };
    while (items.length > 0) await work(key, mailbox);
    waiting.delete(key);
    if (waiting.size > 0) return;
    for (const resolve of whenIdle) resolve();
    whenIdle = [];
  };

  return {
    post: (key, item) => {
      const items = waiting.get(key);
      if (items) {
        items.push(item);
        return;
      }
      const started = [item];
      waiting.set(key, started);
      void run(key, started);
    },
    isIdle: (key) => !waiting.has(key),
    depth: () => {
      let depth = 0;
      for (const items of waiting.values()) depth += items.length;
      return depth;
    },
    drain: () =>
      waiting.size === 0 ? Promise.resolve() : new Promise((resolve) => void whenIdle.push(resolve)),
  };
};
