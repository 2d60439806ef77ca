import {
  createDocumentCommitter,
  type DocumentCommitterOptions,
  type Operation,
  type Outcome,
} from './document-committer.ts';
import { GroupWriter } from './group-writer.ts';
import { identityOfFile } from './same-file.ts';
import { linkDirectly, linkToThread } from './writer-thread.ts';

const documentWriter = new URL('./document-writer.ts', import.meta.url);

interface WriterOptions extends Partial<Omit<DocumentCommitterOptions, 'file' | 'identity'>> {
  readonly file: string;
  readonly mode?: 'thread' | 'inline';
}

/** The writer of a document store, in a thread of its own unless told otherwise. Creates the file. */
export const startDocumentWriter = ({
  file,
  mode = 'thread',
  synchronous = 'FULL',
  busyTimeoutMilliseconds = 10_000,
  givesWay = false,
}: WriterOptions): GroupWriter<Operation, Outcome> => {
  const isPatient = givesWay && mode === 'thread';
  const found = { file, synchronous, busyTimeoutMilliseconds, givesWay: isPatient };
  const committer = createDocumentCommitter(found);
  const options: DocumentCommitterOptions = { ...found, identity: identityOfFile(file) };
  if (mode === 'thread') committer.close();
  return new GroupWriter<Operation, Outcome>({
    link: (listener) =>
      mode === 'thread' ? linkToThread(documentWriter, options, listener) : linkDirectly(committer, listener),
  });
};
