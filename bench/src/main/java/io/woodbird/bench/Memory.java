package io.woodbird.bench;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;

/** The most memory this process has taken so far. */
final class Memory {
  private static final AtomicLong PEAK_LIVE = new AtomicLong();

  private Memory() {}

  /** Starts to look at the heap after each collection. */
  static void watch() {
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      ((NotificationEmitter) collector)
          .addNotificationListener((event, handback) -> look(event), null, null);
    }
  }

  private static void look(Notification event) {
    var after =
        GarbageCollectionNotificationInfo.from((CompositeData) event.getUserData())
            .getGcInfo()
            .getMemoryUsageAfterGc();
    long bytes = 0;
    for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
      if (pool.getType() == MemoryType.HEAP) {
        bytes += after.get(pool.getName()).getUsed();
      }
    }
    PEAK_LIVE.accumulateAndGet(bytes, Math::max);
  }

  /** Bytes of the heap that were left after a collection at most, since {@link #watch}. */
  static long peakLiveBytes() {
    return PEAK_LIVE.get();
  }

  /**
   * Bytes of the heap that were in use at most, garbage included. It adds the peaks of the pools,
   * which need not fall together: never too low.
   */
  static long peakHeapBytes() {
    long bytes = 0;
    for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
      if (pool.getType() == MemoryType.HEAP) {
        bytes += pool.getPeakUsage().getUsed();
      }
    }
    return Math.min(bytes, Runtime.getRuntime().maxMemory());
  }

  /** Bytes of physical memory that the process held at most; 0 where the system does not tell. */
  static long peakResidentBytes() {
    try {
      return Files.readString(Path.of("/proc/self/status"))
          .lines()
          .filter(line -> line.startsWith("VmHWM:"))
          .mapToLong(line -> 1024 * Long.parseLong(line.replaceAll("[^0-9]", "")))
          .findFirst()
          .orElse(0);
    } catch (IOException e) {
      return 0;
    }
  }
}
