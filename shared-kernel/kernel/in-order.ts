/** Finds entries of a list that are asked for mostly in its order: then each is the one behind the last. */
export const findingInOrder = <Entry>(list: readonly Entry[]) => {
  let next = 0;
  return (isIt: (entry: Entry) => boolean): number => {
    const expected = list[next];
    const place = expected !== undefined && isIt(expected) ? next : list.findIndex(isIt);
    if (place >= 0) next = place + 1;
    return place;
  };
};
