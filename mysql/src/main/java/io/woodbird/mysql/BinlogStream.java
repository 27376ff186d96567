package io.woodbird.mysql;

import com.github.shyiko.mysql.binlog.BinaryLogClient;
import com.github.shyiko.mysql.binlog.event.Event;
import com.github.shyiko.mysql.binlog.network.protocol.ResultSetRowPacket;
import com.github.shyiko.mysql.binlog.network.protocol.command.QueryCommand;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One connection that reads the binary log of one server. */
final class BinlogStream extends BinaryLogClient {
  /** The server sends a sign of life this often; a connection silent for longer is lost. */
  private static final int HEARTBEAT_MILLIS = 1_000;

  private static final int SILENCE_MILLIS = 10_000;
  private static final byte END_OF_ROWS = (byte) 0xFE;

  /** Two readings of the same start differ by this at most. No machine restarts so fast. */
  private static final long CLOCK_SECONDS = 1;

  private final Position from;
  private final Listener listener;
  private volatile @Nullable Exception failure;

  /** What the stream is for. */
  interface Listener {
    /** The stream is about to flow. */
    void connected(long started, boolean isSynced) throws IOException;

    void apply(Event event) throws IOException;
  }

  BinlogStream(Address address, Position from, Listener listener) {
    super(address.host(), address.port(), address.user(), address.password());
    this.from = from;
    this.listener = listener;
    setServerId(address.serverId());
    setSSLMode(address.tls());
    setGtidSet(from.resume());
    setKeepAlive(false); // Each connection is new: only the follower knows what has been applied.
    setConnectTimeout(SILENCE_MILLIS);
    setHeartbeatInterval(HEARTBEAT_MILLIS);
    setSocketFactory(
        () -> {
          Socket socket = new Socket();
          socket.setSoTimeout(SILENCE_MILLIS);
          return socket;
        });
    registerEventListener(
        event -> {
          // The client would go on with the next event.
          if (failure == null) {
            try {
              listener.apply(event);
            } catch (IOException | RuntimeException e) {
              fail(e);
            }
          }
        });
    registerLifecycleListener(
        new AbstractLifecycleListener() {
          @Override
          public void onCommunicationFailure(BinaryLogClient client, Exception e) {
            fail(e);
          }

          @Override
          public void onEventDeserializationFailure(BinaryLogClient client, Exception e) {
            // The client takes a time-out within an event for a damaged event.
            boolean isSilent =
                e instanceof SocketTimeoutException
                    || e.getCause() instanceof SocketTimeoutException;
            fail(isSilent ? e : new GapException("an event in the log can't be read: " + e));
          }
        });
  }

  private void fail(Exception e) {
    if (failure == null) {
      failure = e;
    }
    end();
  }

  /** Ends the connection; {@link #read} then returns. */
  void end() {
    try {
      disconnect();
    } catch (IOException e) {
      // It is lost anyway.
    }
  }

  /**
   * Reads until the connection ends.
   *
   * @throws Exception why it has ended
   */
  void read() throws Exception {
    connect();
    Exception why = failure;
    throw why == null ? new IOException("the connection to the binary log has ended") : why;
  }

  /** Makes sure, over this very connection, that the position still is a place in this log. */
  @Override
  protected void setupConnection() throws IOException {
    super.setupConnection();
    boolean isMariaDb = from.server().startsWith(MySqlServer.MARIADB);
    List<String> now = ask(isMariaDb ? MySqlServer.ASK_MARIADB : MySqlServer.ASK_MYSQL);
    if (!now.get(0).equals(from.server())) {
      throw new GapException(
          "the binary log is that of the server %s; the position is of %s"
              .formatted(now.get(0), from.server()));
    }
    long time = Long.parseLong(ask(MySqlServer.ASK_TIME).get(0));
    long started = time - Long.parseLong(ask(MySqlServer.ASK_UPTIME).get(1));
    boolean isSynced = now.get(4).equals("1");
    // After a crash of its machine a server may have rows that its log has lost.
    boolean isSameRun = Math.abs(started - from.started()) <= CLOCK_SECONDS;
    if (!isSameRun && !(isSynced && from.isSynced())) {
      throw new GapException(
          "the server was started again with sync_binlog other than 1, so its binary log may have"
              + " lost rows");
    }
    listener.connected(started, isSynced);
  }

  /** The values of the only row. */
  private List<String> ask(String sql) throws IOException {
    channel.write(new QueryCommand(sql));
    byte[] head = channel.read();
    checkError(head);
    int columns = head[0];
    while (channel.read()[0] != END_OF_ROWS) {
      // Describes a column.
    }
    List<String> values = new ArrayList<>();
    byte[] packet = channel.read();
    while (packet[0] != END_OF_ROWS) {
      checkError(packet);
      ResultSetRowPacket row = new ResultSetRowPacket(packet);
      for (int i = 0; i < columns; i++) {
        values.add(row.getValue(i));
      }
      packet = channel.read();
    }
    return values;
  }
}
