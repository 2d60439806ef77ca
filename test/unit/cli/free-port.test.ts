import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect } from 'chai';
import { refuseTakenPort } from '#command/cli/free-port.ts';

const responseOf = (asked: Promise<void>): Promise<string> =>
  asked.then(
    () => 'free',
    (error: unknown) => String(error),
  );

describe('a simulation for a shop that is started next', () => {
  it('is refused at once while another program has the port, and names the port', async () => {
    const other = createServer().listen(0);
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    expect(await responseOf(refuseTakenPort(port)))
      .to.include(`Port ${port} is taken`)
      .and.include('PORT=');
    other.close();
    await once(other, 'close');
    expect(await responseOf(refuseTakenPort(port))).to.equal('free');
    expect(await responseOf(refuseTakenPort(0)), 'any port').to.equal('free');
  });
});
