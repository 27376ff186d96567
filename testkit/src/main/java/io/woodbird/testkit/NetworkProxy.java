package io.woodbird.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A network between a client and a server of this machine, to be cut, held up and slowed down. */
public final class NetworkProxy implements AutoCloseable {
  private static final int CHUNK = 8192;

  /** What happens to connections, and after how many chunks of either direction. */
  private record Fault(Kind kind, int afterChunks) {}

  private enum Kind {
    NONE,
    CUT,
    HOLD,
    DRIP
  }

  private final ServerSocket listener;
  private final Set<Link> links = ConcurrentHashMap.newKeySet();
  private final Object change = new Object();
  private volatile Fault fault = new Fault(Kind.NONE, 0);
  private volatile int target;

  /**
   * Begins to listen.
   *
   * @param target the port of the server
   */
  public NetworkProxy(int target) throws IOException {
    this.target = target;
    this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  /**
   * Where to connect to.
   *
   * @return the port, on the loopback address
   */
  public int port() {
    return listener.getLocalPort();
  }

  /** Leads new connections to another server. */
  public void target(int port) {
    target = port;
  }

  /** Ends every fault. What was held up goes on. */
  public void pass() {
    set(new Fault(Kind.NONE, 0));
  }

  /** Cuts each connection when this many more chunks have passed; new ones too. */
  public void cutAfter(int chunks) {
    set(new Fault(Kind.CUT, chunks));
  }

  /** Passes this many more chunks of each connection, and then nothing, without a word. */
  public void holdAfter(int chunks) {
    set(new Fault(Kind.HOLD, chunks));
  }

  /** Passes single bytes with pauses between. */
  public void drip() {
    set(new Fault(Kind.DRIP, 0));
  }

  /** Cuts all connections that there are. */
  public void cut() {
    links.forEach(Link::close);
  }

  private void set(Fault next) {
    synchronized (change) {
      fault = next;
      change.notifyAll();
    }
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "network-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        try {
          Link link = new Link(client, new Socket(InetAddress.getLoopbackAddress(), target));
          links.add(link);
          start(() -> link.pump(link.client, link.server));
          start(() -> link.pump(link.server, link.client));
        } catch (IOException e) {
          client.close(); // The server is not there.
        }
      } catch (IOException e) {
        // Closed.
      }
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    pass();
    cut();
  }

  /** One connection. */
  private final class Link {
    private final Socket client;
    private final Socket server;
    private Fault seen = fault;
    private int chunks;

    Link(Socket client, Socket server) throws IOException {
      this.client = client;
      this.server = server;
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
    }

    void pump(Socket from, Socket to) {
      byte[] chunk = new byte[CHUNK];
      try (InputStream in = from.getInputStream();
          OutputStream out = to.getOutputStream()) {
        for (int size = in.read(chunk); size >= 0; size = in.read(chunk)) {
          if (isDue(Kind.CUT)) {
            return;
          }
          while (isDue(Kind.HOLD)) {
            synchronized (change) {
              if (fault.kind() == Kind.HOLD) {
                change.wait(1000);
              }
            }
          }
          pass(chunk, size, out);
        }
      } catch (IOException e) {
        // Cut by one side.
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        close();
      }
    }

    private void pass(byte[] chunk, int size, OutputStream out)
        throws IOException, InterruptedException {
      if (fault.kind() != Kind.DRIP) {
        out.write(chunk, 0, size);
        return;
      }
      for (int i = 0; i < size; i++) {
        out.write(chunk[i]);
        if (i % 64 == 0) {
          Thread.sleep(1);
        }
      }
    }

    @SuppressWarnings("ReferenceEquality") // An equal fault that was set again begins again.
    private synchronized boolean isDue(Kind kind) {
      Fault now = fault;
      if (now != seen) {
        seen = now;
        chunks = 0;
      }
      return now.kind() == kind && chunks++ >= now.afterChunks();
    }

    void close() {
      links.remove(this);
      try (client;
          server) {
        // Both.
      } catch (IOException e) {
        // Closed anyway.
      }
    }
  }
}
