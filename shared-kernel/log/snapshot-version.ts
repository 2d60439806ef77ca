import { schemaFingerprint } from '#events/registry.ts';

/** Something that is folded from events, and by which table. */
interface Folded {
  /** Raised when the shape of what is folded, or its meaning, changes. */
  readonly version: number;
  /** By event type. */
  readonly on: object;
}

/** Of a snapshot: another version, or another schema of one of the events, makes another snapshot. */
export const snapshotVersion = ({ version, on }: Folded): string =>
  `v${version}-${schemaFingerprint(Object.keys(on))}`;
