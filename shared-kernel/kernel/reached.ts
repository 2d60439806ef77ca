import type { DataSubject } from './decider.ts';

/** How far along the log a request has come: the position of the last event that it caused. */
export interface Reached {
  position: number;
  /** Whose personal data were in the streams that it dealt with, by id: what is kept of its answer is theirs. */
  subjects?: Map<string, DataSubject>;
}

/** The subjects whose keys an answer is sealed under. A basket's goes with its customer's. */
export const subjectsReached = ({ subjects }: Reached): readonly string[] => {
  if (!subjects) return [];
  const named = new Set(
    [...subjects.values()].flatMap(({ id, customerId }) => (customerId === id ? [] : (customerId ?? []))),
  );
  return [...subjects.keys()].filter((id) => !named.has(id));
};
