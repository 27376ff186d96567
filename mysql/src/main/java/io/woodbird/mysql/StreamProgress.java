package io.woodbird.mysql;

import com.github.shyiko.mysql.binlog.GtidSet;
import com.github.shyiko.mysql.binlog.MariadbGtidSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** How far the stream is, and whether the filter has all keys up to there. */
final class StreamProgress {
  /*
   * An epoch begins at a position taken from the server. The filter can be trusted as soon as a build
   * that began after that has ended: the build has every row that was visible at the position, and
   * the stream brings the others. A gap ends the epoch.
   *
   * GTIDs are numbers that begin again after RESET MASTER, or when an old copy of the server is put in
   * its place. So a new connection continues one transaction before the last one that was applied, and
   * must bring that one again, with the same time, number and place in its file. Until then the log is
   * not known to be the same, and nothing is proved.
   */
  private Position from = new Position("", "", 0, false, "", "", "");
  private GtidSet resume = new MariadbGtidSet();
  private GtidSet seen = new MariadbGtidSet();
  private String beforeLast = "";
  private String last = "";
  private boolean flows;
  private long epoch;
  private @Nullable String doubt = "has not begun yet";
  private @Nullable String streamFailure;

  /**
   * Begins an epoch.
   *
   * @param reason why nothing can be denied yet; null if the filter has all keys up to the position
   * @return its number, for {@link #trust}
   */
  synchronized long begin(Position position, @Nullable String reason) {
    from = position;
    resume = position.gtids(position.resume());
    beforeLast = position.resume();
    last = position.last();
    seen = position.gtids(position.seen());
    flows = false;
    doubt = reason;
    notifyAll();
    return ++epoch;
  }

  /** Ends the epoch: from now on nothing can be denied. */
  synchronized void distrust(String reason) {
    epoch++;
    doubt = reason;
    notifyAll();
  }

  /** A build that began within this epoch has ended. */
  synchronized void trust(long sameEpoch) {
    if (sameEpoch == epoch) {
      doubt = null;
      notifyAll();
    }
  }

  synchronized boolean isCurrent(long sameEpoch) {
    return sameEpoch == epoch;
  }

  /** Says why a build failed. */
  synchronized void explain(long sameEpoch, String reason) {
    if (sameEpoch == epoch) {
      doubt = reason;
    }
  }

  /** Takes note why the stream does not flow. */
  synchronized void streamFailure(String reason) {
    streamFailure = reason;
    notifyAll();
  }

  /** Whether the stream is connected to the log that was read before. */
  synchronized void flows(boolean isSameLog) {
    flows = isSameLog;
    streamFailure = isSameLog ? null : streamFailure;
    notifyAll();
  }

  /**
   * Waits until the stream flows, or does not.
   *
   * @return why it does not; null if it does, or that is not known in time
   */
  synchronized @Nullable String awaitFlow(long patienceNanos) throws InterruptedException {
    long end = System.nanoTime() + patienceNanos;
    long left = patienceNanos;
    while (!flows && streamFailure == null && left > 0) {
      TimeUnit.NANOSECONDS.timedWait(this, left);
      left = end - System.nanoTime();
    }
    return flows ? null : streamFailure;
  }

  /** The last transaction has come again. */
  synchronized void cameAgain(Object gtid) {
    resume.addGtid(gtid);
    flows(true);
  }

  /**
   * All keys of a transaction are in the filter.
   *
   * @param mark tells it from all others, also in another log
   */
  synchronized void passed(Object gtid, String mark) {
    beforeLast = resume.toString();
    last = mark;
    resume.addGtid(gtid);
    seen.addGtid(gtid);
    notifyAll();
  }

  /** Where a stream continues. */
  synchronized Position position() {
    return new Position(
        from.server(),
        from.layout(),
        from.started(),
        from.isSynced(),
        beforeLast,
        last,
        seen.toSeenString());
  }

  /** The same, if the filter has all keys up to there. */
  synchronized @Nullable Position trusted() {
    return doubt == null ? position() : null;
  }

  /** Takes note of how the server runs now. */
  synchronized void runs(long started, boolean isSynced) {
    from = from.run(started, isSynced);
  }

  /** Takes note that commits do not wait for the disk, if so. */
  synchronized void synced(boolean isSynced) {
    runs(from.started(), from.isSynced() && isSynced);
  }

  /**
   * Waits until the stream has passed all of these transactions.
   *
   * @throws IllegalStateException if there is a gap
   * @throws TimeoutException if the stream does not get there in time
   */
  synchronized void await(long sameEpoch, GtidSet target, long patienceNanos)
      throws InterruptedException, TimeoutException {
    long end = System.nanoTime() + patienceNanos;
    while (true) {
      if (check() != sameEpoch) {
        throw new IllegalStateException("there was a gap meanwhile");
      }
      if (flows && target.isContainedWithin(seen)) {
        return;
      }
      long left = end - System.nanoTime();
      if (left <= 0) {
        throw new TimeoutException("the binary log has not been read up to " + target + why());
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }

  /**
   * Whether the stream flows, and has brought a transaction that is none of these.
   *
   * @param known what the server had at some moment, so that others came after it
   */
  synchronized boolean hasPassed(GtidSet known) {
    return flows && !seen.isContainedWithin(known);
  }

  synchronized boolean flows() {
    return flows;
  }

  /** The same, but waits a little for a build that is about to end. */
  synchronized long check(long patienceNanos) throws InterruptedException {
    long end = System.nanoTime() + patienceNanos;
    long left = patienceNanos;
    while (doubt != null && left > 0) {
      TimeUnit.NANOSECONDS.timedWait(this, left);
      left = end - System.nanoTime();
    }
    return check();
  }

  /**
   * Refuses if the filter may lack keys.
   *
   * @return the number of the epoch
   */
  synchronized long check() {
    if (doubt != null) {
      throw new IllegalStateException(doubt + why());
    }
    return epoch;
  }

  private String why() {
    return streamFailure == null ? "" : ": " + streamFailure;
  }
}
