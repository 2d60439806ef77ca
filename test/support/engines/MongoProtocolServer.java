import de.bwaldvogel.mongo.MongoCollection;
import de.bwaldvogel.mongo.MongoDatabase;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.DatabaseResolver;
import de.bwaldvogel.mongo.backend.Index;
import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import de.bwaldvogel.mongo.backend.h2.H2Database;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.oplog.Oplog;
import io.netty.channel.Channel;
import java.util.List;
import java.util.Set;
import org.h2.mvstore.MVStore;

/** A server that speaks MongoDB's protocol on loopback and keeps everything in one file. Arguments: port, file. */
public class MongoProtocolServer {

  public static void main(String[] arguments) throws InterruptedException {
    MVStore file = MVStore.open(arguments[1]);
    file.setAutoCommitDelay(50); // milliseconds that a kill may cost; the default is a second
    Backend backend = new Backend(file);
    backend.version(new Version());
    MongoServer server = new MongoServer(backend);
    server.bind("127.0.0.1", Integer.parseInt(arguments[0]));
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdownNow));
    System.out.println("listening on " + server.getConnectionString());
    Thread.currentThread().join();
  }

  /** The library announces a version that drivers of today refuse, though they send nothing that it lacks. */
  private static final class Version implements MongoVersion {
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
  }

  private static final class Backend extends H2Backend {
    Backend(MVStore file) {
      super(file);
    }

    @Override
    protected MongoDatabase openOrCreateDatabase(String name) {
      return new H2Database(name, getMvStore(), getCursorRegistry()) {
        @Override
        protected Index<Object> openOrCreateUniqueIndex(
            String collection, String index, List<IndexKey> keys, boolean isSparse) {
          Index<Object> created = super.openOrCreateUniqueIndex(collection, index, keys, isSparse);
          return index.equals("_id_") ? new IdIndex(created) : created;
        }

        /** One at a time: the library makes a collection twice where two name it first, and cannot drop it then. */
        @Override
        protected synchronized MongoCollection<Object> resolveOrCreateCollection(String name) {
          return super.resolveOrCreateCollection(name);
        }

        @Override
        public Document handleCommand(
            Channel channel, String command, Document query, DatabaseResolver databases, Oplog oplog) {
          return command.startsWith("create")
              ? create(channel, command, query, databases, oplog)
              : super.handleCommand(channel, command, query, databases, oplog);
        }

        private synchronized Document create(
            Channel channel, String command, Document query, DatabaseResolver databases, Oplog oplog) {
          return super.handleCommand(channel, command, query, databases, oplog);
        }
      };
    }
  }

  /**
   * Serves every query that names ids. The library's own serves those that name nothing else, and
   * goes through the whole collection for any other: too slow to measure anything by.
   */
  private static final class IdIndex extends Index<Object> {
    private final Index<Object> index;

    IdIndex(Index<Object> index) {
      super(index.getName(), index.getKeys(), false);
      this.index = index;
    }

    @Override
    public boolean canHandle(Document query) {
      return query.containsKey("_id") && index.canHandle(idsOf(query));
    }

    /** The library holds what is found to the whole query. */
    @Override
    public Iterable<Object> getPositions(Document query) {
      return index.getPositions(idsOf(query));
    }

    private static Document idsOf(Document query) {
      boolean isEquality =
          query.get("_id") instanceof Document condition && condition.keySet().equals(Set.of("$eq"));
      Object ids = isEquality ? ((Document) query.get("_id")).get("$eq") : query.get("_id");
      return new Document("_id", ids);
    }

    @Override
    public boolean isUnique() {
      return true;
    }

    @Override
    public Object getPosition(Document document) {
      return index.getPosition(document);
    }

    @Override
    public void checkAdd(Document document, MongoCollection<Object> collection) {
      index.checkAdd(document, collection);
    }

    @Override
    public void add(Document document, Object position, MongoCollection<Object> collection) {
      index.add(document, position, collection);
    }

    @Override
    public Object remove(Document document) {
      return index.remove(document);
    }

    @Override
    public void checkUpdate(Document before, Document after, MongoCollection<Object> collection) {
      index.checkUpdate(before, after, collection);
    }

    @Override
    public void updateInPlace(
        Document before, Document after, Object position, MongoCollection<Object> collection) {
      index.updateInPlace(before, after, position, collection);
    }

    @Override
    public long getCount() {
      return index.getCount();
    }

    @Override
    public long getDataSize() {
      return index.getDataSize();
    }

    @Override
    public void drop() {
      index.drop();
    }
  }
}
