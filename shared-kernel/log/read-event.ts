import type { EventMetadata, Recorded } from '#kernel/event.ts';

/** What of an event is read at once. */
type Place = Omit<Recorded, 'data' | 'metadata'>;

/** An own property that reads like this getter: spreading an object and writing it as JSON pass over inherited ones. */
const ownFrom = (prototype: object, name: string): PropertyDescriptor => ({
  ...Object.getOwnPropertyDescriptor(prototype, name),
  enumerable: true,
});

/** An event of the log whose data and metadata are worked out when they are first read: many readers want neither. */
export class ReadEvent implements Recorded {
  static readonly #data = ownFrom(ReadEvent.prototype, 'data');
  static readonly #metadata = ownFrom(ReadEvent.prototype, 'metadata');

  readonly type: string;
  readonly id: string;
  readonly schemaVersion: number;
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
  readonly recordedAt: string;
  readonly #readData: () => unknown;
  readonly #readMetadata: () => EventMetadata;
  #knownData: unknown;
  #knownMetadata: EventMetadata | undefined;

  constructor(place: Place, readData: () => unknown, readMetadata: () => EventMetadata) {
    this.type = place.type;
    this.id = place.id;
    this.schemaVersion = place.schemaVersion;
    this.stream = place.stream;
    this.revision = place.revision;
    this.position = place.position;
    this.recordedAt = place.recordedAt;
    this.#readData = readData;
    this.#readMetadata = readMetadata;
    Object.defineProperty(this, 'data', ReadEvent.#data);
    Object.defineProperty(this, 'metadata', ReadEvent.#metadata);
  }

  get data(): unknown {
    return (this.#knownData ??= this.#readData());
  }

  get metadata(): EventMetadata {
    return (this.#knownMetadata ??= this.#readMetadata());
  }
}
