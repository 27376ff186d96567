package io.woodbird.redis;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** A stretch of network that can be cut, slowed, stopped, bent to another server, or corrupted. */
final class FaultProxy implements Closeable {
  /** What is done to the bytes that a server sends. */
  enum Fault {
    NONE,
    /** Nothing arrives any more. */
    SWALLOW,
    /** One byte every {@link #cutAfter} milliseconds. */
    DRIP,
    /** Everything {@link #cutAfter} milliseconds later. */
    DELAY,
    /** The connection ends after {@link #cutAfter} bytes. */
    CUT,
    /** The byte number {@link #cutAfter} is another one. */
    CORRUPT
  }

  private final ServerSocket door;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final AtomicLong sent = new AtomicLong();
  private volatile int target;
  volatile Fault fault = Fault.NONE;
  volatile long cutAfter;

  /** Where the byte that was corrupted last stood in what the server sent at once. */
  volatile int corrupted = -1;

  FaultProxy(int target) throws IOException {
    this.target = target;
    this.door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    daemon(this::accept);
  }

  int port() {
    return door.getLocalPort();
  }

  /** Ends all connections; new ones go to another server. */
  void bendTo(int port) {
    target = port;
    cutAll();
  }

  /** Lets connections be, and leads new ones to another server. */
  void bendNewTo(int port) {
    target = port;
  }

  void cutAll() {
    sockets.forEach(FaultProxy::end);
  }

  /** Sets a fault, and what it counts: bytes from now on, or milliseconds. */
  void fault(Fault value, long after) {
    sent.set(0);
    cutAfter = after;
    fault = value;
  }

  private static void end(Socket socket) {
    try {
      socket.setSoLinger(true, 0);
      socket.close();
    } catch (IOException e) {
      // It is over anyway.
    }
  }

  private static void daemon(Runnable task) {
    Thread thread = new Thread(task, "fault-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    while (!door.isClosed()) {
      try {
        Socket client = door.accept();
        Socket server;
        try {
          server = new Socket(InetAddress.getLoopbackAddress(), target);
        } catch (IOException e) {
          end(client);
          continue;
        }
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        sockets.add(client);
        sockets.add(server);
        daemon(() -> pump(client, server, false));
        daemon(() -> pump(server, client, true));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void pump(Socket from, Socket to, boolean back) {
    byte[] buffer = new byte[1 << 16];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      int count;
      while ((count = in.read(buffer)) > 0) {
        if (!back || fault == Fault.NONE) {
          out.write(buffer, 0, count);
        } else {
          forward(buffer, count, out);
        }
      }
      to.close(); // Gently, as the other side did.
    } catch (IOException | InterruptedException e) {
      // Ends below.
    } finally {
      end(from);
      end(to);
      sockets.remove(from);
      sockets.remove(to);
    }
  }

  private void forward(byte[] buffer, int count, OutputStream out)
      throws IOException, InterruptedException {
    switch (fault) {
      case SWALLOW -> {}
      case DELAY -> {
        Thread.sleep(cutAfter);
        out.write(buffer, 0, count);
      }
      case DRIP -> {
        for (int i = 0; i < count; i++) {
          out.write(buffer[i]);
          Thread.sleep(cutAfter);
        }
      }
      case CUT -> {
        long left = cutAfter - sent.getAndAdd(count);
        out.write(buffer, 0, (int) Math.max(0, Math.min(left, count)));
        if (left <= count) {
          throw new IOException("cut");
        }
      }
      case CORRUPT -> {
        long at = cutAfter - sent.getAndAdd(count);
        if (at >= 0 && at < count) {
          buffer[(int) at] ^= 0x11;
          corrupted = (int) at;
        }
        out.write(buffer, 0, count);
      }
      case NONE -> out.write(buffer, 0, count);
    }
  }

  /** Ends all connections, and refuses new ones. */
  void shut() throws IOException {
    door.close();
    cutAll();
  }

  @Override
  public void close() throws IOException {
    shut();
  }
}
