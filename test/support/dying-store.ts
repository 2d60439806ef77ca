import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { DocumentStore } from '#ports/document-store.ts';

/**
 * The store without transactions of a process that is killed after so many steps, each a document written, or the
 * moment before or after another change. What it had written stays.
 */
export const dyingStore = (store: DocumentStore, steps: number): DocumentStore => {
  let left = steps;
  const survive = (): void => {
    if (left-- <= 0) throw new EngineUnavailable('killed');
  };
  return new Proxy(store, {
    get: (target, name: keyof DocumentStore) => {
      if (name === 'write')
        return async (batch: Parameters<DocumentStore['write']>[0]) => {
          for (const write of batch) {
            survive();
            await target.write([write]);
          }
        };
      const method = target[name] as unknown;
      if (typeof method !== 'function') return method;
      const changes = name === 'updateIf' || name === 'deleteMany' || name === 'insertIfAbsent';
      return async (...given: readonly unknown[]) => {
        if (changes) survive();
        const answer: unknown = await Reflect.apply(method, target, given);
        if (changes) survive();
        return answer;
      };
    },
  });
};
