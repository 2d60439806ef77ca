import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect } from 'chai';
import { refuseTakenPort } from '#runtime/free-port.ts';

const responseOf = (asked: Promise<void>): Promise<string> =>
  asked.then(
    () => 'free',
    (error: unknown) => String(error),
  );

describe('a simulation or a replay for a shop that is served next', () => {
  it('is refused at once while another program has the port, and names the port', async () => {
    const other = createServer().listen(0);
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    expect(await responseOf(refuseTakenPort(port)))
      .to.include(`Port ${port} is taken`)
      .and.include('PORT=');
    expect(await responseOf(refuseTakenPort(port, '--serve'))).to.include('name another port with --serve');
    other.close();
    await once(other, 'close');
    expect(await responseOf(refuseTakenPort(port))).to.equal('free');
    expect(await responseOf(refuseTakenPort(0)), 'any port').to.equal('free');
  });
});
