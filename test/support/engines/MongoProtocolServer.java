import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import java.util.List;
import org.h2.mvstore.MVStore;

/** A server that speaks MongoDB's protocol on loopback and keeps everything in one file. Arguments: port, file. */
public class MongoProtocolServer {

  /** The library announces a version that drivers of today refuse, though they send nothing that it lacks. */
  private static final MongoVersion VERSION =
      new MongoVersion() {
        @Override
        public List<Integer> getVersionArray() {
          return List.of(5, 0, 0);
        }

        @Override
        public String toVersionString() {
          return "5.0.0-mongo-java-server";
        }

        @Override
        public int getWireVersion() {
          return 13;
        }
      };

  public static void main(String[] arguments) throws InterruptedException {
    MVStore file = MVStore.open(arguments[1]);
    file.setAutoCommitDelay(50); // milliseconds that a kill may cost; the default is a second
    H2Backend backend = new H2Backend(file);
    backend.version(VERSION);
    MongoServer server = new MongoServer(backend);
    server.bind("127.0.0.1", Integer.parseInt(arguments[0]));
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdownNow));
    System.out.println("listening on " + server.getConnectionString());
    Thread.currentThread().join();
  }
}
