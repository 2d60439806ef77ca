import { createServer, type AddressInfo, type Socket } from 'node:net';

/** How a mail server takes a message: with 250, with another answer, by hanging up once it has it, or not at all. */
export type Verdict = '250 taken' | '451 later' | '550 no such mailbox' | 'hangs up' | 'hangs';

/** A mail server on loopback that keeps what it takes. */
export interface MailServer {
  readonly url: string;
  /** The messages as they came over the wire, headers first. */
  readonly messages: readonly string[];
  /** To whom messages were to go, as the envelope says. */
  readonly recipients: readonly string[];
  verdict: Verdict;
  close(): Promise<void>;
}

const converse = (socket: Socket, taken: string[], recipients: string[], verdict: () => Verdict): void => {
  let rest = '';
  let isMessage = false;
  const say = (line: string): void => void socket.write(`${line}\r\n`);
  const answer = (line: string): void => {
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === 'EHLO') say('250-double\r\n250 AUTH PLAIN');
    else if (verb === 'AUTH') say('235 welcome');
    else if (verb === 'DATA') {
      isMessage = true;
      say('354 go on');
    } else if (verb === 'RCPT') {
      recipients.push(/<(.*)>/.exec(line)?.[1] ?? '');
      say('250 ok');
    } else if (verb === 'QUIT') socket.end('221 bye\r\n');
    else say('250 ok');
  };
  const takeMessage = (message: string): void => {
    isMessage = false;
    const outcome = verdict();
    if (outcome === '250 taken' || outcome === 'hangs up') taken.push(message);
    if (outcome === 'hangs up') socket.destroy();
    else if (outcome !== 'hangs') say(outcome);
  };
  const read = (): void => {
    for (;;) {
      const mark = isMessage ? '\r\n.\r\n' : '\r\n';
      const end = rest.indexOf(mark);
      if (end < 0) return;
      const part = rest.slice(0, end);
      rest = rest.slice(end + mark.length);
      if (isMessage) takeMessage(part);
      else answer(part);
    }
  };
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    rest += chunk.toString();
    read();
  });
  say('220 double');
};

export const startMailServer = async (): Promise<MailServer> => {
  const messages: string[] = [];
  const recipients: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    converse(socket, messages, recipients, () => double.verdict);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const double: MailServer = {
    url: `smtp://shop:the-smtp-password@127.0.0.1:${port}`,
    messages,
    recipients,
    verdict: '250 taken',
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return double;
};
