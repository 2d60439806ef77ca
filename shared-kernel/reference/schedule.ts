interface Entry {
  readonly id: string;
  readonly at: number;
}

/** The earliest on top; where each one is, is known. */
const createHeap = () => {
  const heap: Entry[] = [];
  const places = new Map<string, number>();

  const put = (entry: Entry, place: number): void => {
    heap[place] = entry;
    places.set(entry.id, place);
  };
  const isBefore = (one: number, other: number): boolean => {
    const first = heap[one];
    const second = heap[other];
    return first !== undefined && (second === undefined || first.at < second.at);
  };
  const swap = (one: number, other: number): void => {
    const first = heap[one];
    const second = heap[other];
    if (first === undefined || second === undefined) return;
    put(first, other);
    put(second, one);
  };
  const rise = (place: number): void => {
    const parent = (place - 1) >> 1;
    if (place === 0 || !isBefore(place, parent)) return;
    swap(place, parent);
    rise(parent);
  };
  const sink = (place: number): void => {
    const [left, right] = [2 * place + 1, 2 * place + 2];
    const child = isBefore(right, left) ? right : left;
    if (!isBefore(child, place)) return;
    swap(place, child);
    sink(child);
  };
  const remove = (id: string): void => {
    const place = places.get(id);
    if (place === undefined) return;
    places.delete(id);
    const last = heap.pop();
    if (last === undefined || last.id === id) return;
    put(last, place);
    rise(place);
    sink(place);
  };

  const add = (entry: Entry): void => {
    put(entry, heap.length);
    rise(heap.length - 1);
  };
  return { heap, places, add, remove };
};

/** Due times: asking costs as much as is due, however much is still to come. */
export const createSchedule = () => {
  const { heap, places, add, remove } = createHeap();
  return {
    set: (id: string, at: number): void => {
      remove(id);
      add({ id, at });
    },
    remove,
    /** Those whose time has come, in no order. */
    due: (now: number): readonly string[] => {
      const found: string[] = [];
      const open = [0];
      for (let place = open.pop(); place !== undefined; place = open.pop()) {
        const entry = heap[place];
        if (entry === undefined || entry.at > now) continue;
        found.push(entry.id);
        open.push(2 * place + 1, 2 * place + 2);
      }
      return found;
    },
    clear: (): void => {
      heap.length = 0;
      places.clear();
    },
  };
};
