package io.woodbird.console;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The threads that serve requests, and the limit on how long one of them waits for its client. */
final class RequestThreads implements Executor, AutoCloseable {
  /*
   * The JDK's server gives a connection to the executor as soon as its first byte is there, and then
   * reads and writes with blocking calls. A client that sends half a request, or reads nothing of its
   * answer, therefore holds a thread. The server's own limits (sun.net.httpserver.maxReqTime) are off
   * unless set, hold for the whole process and are read once, maybe before this class is loaded. So
   * this class has its own limit: a thread that waits longer for its client is interrupted, which
   * closes the channel it waits on and so ends the request. Only waiting counts; work on an answer may
   * take any time.
   *
   * When all threads are taken and requests queue, the limit is a tenth of that: browsers send a whole
   * request at once, so a thread that still waits probably has a client that will never send the rest.
   */
  private static final int CROWDED = 10;

  private final long patienceNanos;
  private final ThreadPoolExecutor threads;
  private final ScheduledExecutorService watch;
  private final Map<Thread, Task> running = new ConcurrentHashMap<>();

  /**
   * Makes the threads; none is started before it is needed.
   *
   * @param most how many requests may be served at once
   * @param patience how long one waits for its client to send, and again to read
   */
  RequestThreads(int most, Duration patience) {
    patienceNanos = patience.toNanos();
    threads =
        new ThreadPoolExecutor(
            most, most, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), daemons("console"));
    threads.allowCoreThreadTimeOut(true);
    watch = Executors.newSingleThreadScheduledExecutor(daemons("console-watch"));
    long step = patienceNanos / CROWDED / 2;
    var unused = watch.scheduleWithFixedDelay(this::look, step, step, TimeUnit.NANOSECONDS);
  }

  private static ThreadFactory daemons(String name) {
    return task -> {
      Thread thread = new Thread(task, "woodbird-" + name);
      thread.setDaemon(true);
      return thread;
    };
  }

  @Override
  public void execute(Runnable exchange) {
    threads.execute(new Task(exchange));
  }

  /** The request of this thread has arrived, and is worked on. */
  void working() {
    mark(false);
  }

  /** The thread waits for its client again: for it to read the answer, or to send what is left. */
  void waiting() {
    mark(true);
  }

  private void mark(boolean waiting) {
    Task task = running.get(Thread.currentThread());
    if (task != null) {
      task.mark(waiting);
    }
  }

  /** How many requests are served now. */
  int busy() {
    return running.size();
  }

  private void look() {
    long patience = threads.getQueue().isEmpty() ? patienceNanos : patienceNanos / CROWDED;
    long now = System.nanoTime();
    for (Task task : running.values()) {
      task.endIfWaitingSince(now - patience);
    }
  }

  @Override
  public void close() {
    watch.shutdownNow();
    threads.shutdownNow();
  }

  /** One request, from its first byte to the end of its answer. */
  private final class Task implements Runnable {
    private final Runnable exchange;
    private @Nullable Thread thread;
    private boolean waiting;
    private long since;

    Task(Runnable exchange) {
      this.exchange = exchange;
    }

    @Override
    public void run() {
      Thread own = Thread.currentThread();
      begin(own);
      running.put(own, this);
      try {
        exchange.run();
      } finally {
        running.remove(own);
        end();
      }
    }

    private synchronized void begin(Thread own) {
      thread = own;
      mark(true);
    }

    private synchronized void mark(boolean value) {
      waiting = value;
      since = System.nanoTime();
    }

    /** After this the thread is not interrupted for this request, and no interrupt is pending. */
    private synchronized void end() {
      thread = null;
      var unused = Thread.interrupted();
    }

    private synchronized void endIfWaitingSince(long nanos) {
      if (thread != null && waiting && since - nanos < 0) {
        thread.interrupt();
      }
    }
  }
}
