import { LRUCache } from 'lru-cache';

import type { Document } from '#kernel/projection.ts';

export interface DocumentCacheLimits {
  readonly documents: number;
  /** Length of the documents' JSON in all, in characters. */
  readonly characters: number;
}

/**
 * The documents in demand, parsed. Valid only in the process that writes them: the committer reports here what a
 * write touched before the write is acknowledged. Callers never change a document that it hands out.
 */
export class DocumentCache {
  readonly #documents: LRUCache<string, Document>;
  /** As which the smallest document counts, so that there are never more than `documents`. */
  readonly #leastSize: number;

  constructor({ documents, characters }: DocumentCacheLimits) {
    // With a number of entries, the cache would go through room for all of them whenever its last one is forgotten.
    this.#documents = new LRUCache({ maxSize: characters });
    this.#leastSize = Math.ceil(characters / documents);
  }

  get(collection: string, id: string): Document | undefined {
    return this.#documents.get(`${collection}/${id}`);
  }

  keep(collection: string, document: Document, characters: number): void {
    this.#documents.set(`${collection}/${document._id}`, document, {
      size: Math.max(characters, this.#leastSize),
    });
  }

  forget(collection: string, id: string): void {
    this.#documents.delete(`${collection}/${id}`);
  }

  forgetAll(): void {
    this.#documents.clear();
  }
}
