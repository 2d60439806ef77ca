/** The partition of a key: FNV-1a over its UTF-8 bytes. Stored messages rely on it: it never changes. */
export const partitionOf = (key: string, partitions: number): number => {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(key)) hash = Math.imul(hash ^ byte, 0x01000193);
  // The low bits of the sum alone say little about short keys.
  return ((hash ^ (hash >>> 16)) >>> 0) % partitions;
};
