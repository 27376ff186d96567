package io.woodbird.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** What a disk may hold after a power cut, which comes after some of the steps of a program. */
public final class PowerCut {
  /*
   * What was forced is there. Of all other writes each sector of 512 bytes may be there or not,
   * in any combination. What is not there is zeros, old bytes, or rubbish in a new part of a file
   * (ext4 with data=writeback). The length may be ahead of the bytes. Of the changes of names that
   * were not forced, the first so many are there, as ext4 and xfs have them in one journal. So a
   * name may be there before the bytes of its file.
   */
  private static final int SECTOR = 512;

  /** How much of what was not forced is there. */
  public enum Luck {
    NOTHING,
    ALL,
    NAMES_ONLY,
    BYTES_ONLY,
    SOME
  }

  private final List<DiskRecord.Step> steps;
  private final int cut;

  /** Makes a cut after the first {@code cut} steps. */
  public PowerCut(List<DiskRecord.Step> steps, int cut) {
    this.steps = steps;
    this.cut = cut;
  }

  /** What the program had said before. */
  public String said() {
    StringBuilder said = new StringBuilder();
    for (DiskRecord.Step step : steps.subList(0, cut)) {
      if (step instanceof DiskRecord.Said text) {
        said.append(text.text());
      }
    }
    return said.toString();
  }

  /** Writes what is on disk into an empty folder. */
  public void writeTo(Path folder, Luck luck, Random random) throws IOException {
    for (var name : names(luck, random).entrySet()) {
      Files.write(folder.resolve(name.getKey()), bytes(name.getValue(), luck, random));
    }
  }

  /** The bytes of one file; null if there is none. */
  byte @Nullable [] fileAfter(String name, Luck luck, Random random) {
    Integer file = names(luck, random).get(name);
    return file == null ? null : bytes(file, luck, random);
  }

  private Map<String, Integer> names(Luck luck, Random random) {
    int forced = 0;
    List<DiskRecord.Step> changes = new ArrayList<>();
    for (DiskRecord.Step step : steps.subList(0, cut)) {
      if (step instanceof DiskRecord.Named || step instanceof DiskRecord.Removed) {
        changes.add(step);
      } else if (step instanceof DiskRecord.ForcedNames) {
        forced = changes.size();
      }
    }
    int there =
        switch (luck) {
          case NOTHING, BYTES_ONLY -> forced;
          case ALL, NAMES_ONLY -> changes.size();
          case SOME -> forced + random.nextInt(changes.size() - forced + 1);
        };
    Map<String, Integer> names = new HashMap<>();
    for (DiskRecord.Step change : changes.subList(0, there)) {
      if (change instanceof DiskRecord.Named named) {
        names.remove(named.old());
        names.put(named.name(), named.file());
      } else if (change instanceof DiskRecord.Removed removed) {
        names.remove(removed.name());
      }
    }
    return names;
  }

  private byte[] bytes(int file, Luck luck, Random random) {
    List<DiskRecord.Step> own = new ArrayList<>();
    int forced = 0;
    for (DiskRecord.Step step : steps.subList(0, cut)) {
      if ((step instanceof DiskRecord.Wrote wrote && wrote.file() == file)
          || (step instanceof DiskRecord.Cut length && length.file() == file)) {
        own.add(step);
      } else if (step instanceof DiskRecord.Forced done && done.file() == file) {
        forced = own.size();
      }
    }
    byte[] bytes = new byte[0];
    boolean rubbish = random.nextBoolean();
    for (int i = 0; i < own.size(); i++) {
      boolean certain = i < forced || luck == Luck.ALL || luck == Luck.BYTES_ONLY;
      if (own.get(i) instanceof DiskRecord.Cut length) {
        bytes =
            certain || (luck == Luck.SOME && random.nextBoolean())
                ? Arrays.copyOf(bytes, Math.toIntExact(length.length()))
                : bytes;
      } else if (certain || luck == Luck.SOME) {
        bytes = write(bytes, (DiskRecord.Wrote) own.get(i), certain, rubbish, random);
      }
    }
    return bytes;
  }

  private static byte[] write(
      byte[] before, DiskRecord.Wrote wrote, boolean certain, boolean rubbish, Random random) {
    int from = Math.toIntExact(wrote.at());
    int end = from + wrote.bytes().length;
    byte[] bytes = before;
    if (end > before.length) {
      if (!certain && random.nextInt(4) == 0) {
        return before; // Not even the length.
      }
      bytes = Arrays.copyOf(before, end);
    }
    int chance = random.nextInt(3); // Few sectors, many, or all.
    for (int at = from; at < end; ) {
      int next = Math.min(end, at / SECTOR * SECTOR + SECTOR);
      if (certain || chance == 2 || random.nextInt(8) < (chance == 0 ? 1 : 7)) {
        System.arraycopy(wrote.bytes(), at - from, bytes, at, next - at);
      } else if (rubbish) {
        for (int i = Math.max(at, before.length); i < next; i++) {
          bytes[i] = (byte) random.nextInt();
        }
      }
      at = next;
    }
    return bytes;
  }
}
