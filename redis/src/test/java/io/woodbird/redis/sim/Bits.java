package io.woodbird.redis.sim;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.IntBinaryOperator;
import org.jspecify.annotations.Nullable;

/** BITFIELD and BITOP over bytes. */
final class Bits {
  /** What happens when a number leaves its range. */
  private enum Overflow {
    WRAP,
    SAT,
    FAIL
  }

  /** One step of BITFIELD. */
  private record Step(
      char kind, boolean signed, int width, long offset, long value, Overflow rule) {}

  private Bits() {}

  /** What BITFIELD has done. */
  record Result(List<@Nullable Object> replies, byte @Nullable [] written) {}

  /** Runs the arguments behind the key. */
  static Result field(byte @Nullable [] old, byte[][] words, int from, boolean readOnly) {
    List<Step> steps = parse(words, from);
    long end = 0;
    boolean writes = false;
    for (Step step : steps) {
      if (step.kind != 'G') {
        writes = true;
        end = Math.max(end, (step.offset + step.width + 7) / 8);
      }
    }
    if (writes && readOnly) {
      throw new Reply.Refusal("ERR BITFIELD_RO only supports the GET subcommand");
    }
    byte[] bytes = old == null ? new byte[0] : old;
    if (writes) {
      bytes = Arrays.copyOf(bytes, (int) Math.max(bytes.length, end));
    }
    List<@Nullable Object> replies = new ArrayList<>(steps.size());
    for (Step step : steps) {
      replies.add(run(bytes, step));
    }
    return new Result(replies, writes ? bytes : null);
  }

  private static @Nullable Object run(byte[] bytes, Step step) {
    long now = get(bytes, step.offset, step.width, step.signed);
    if (step.kind == 'G') {
      return now;
    }
    boolean increment = step.kind == 'I';
    long wanted = increment ? now + step.value : step.value;
    boolean fits = fits(now, step, wanted, increment);
    if (!fits && step.rule == Overflow.FAIL) {
      return null;
    }
    if (!fits && step.rule == Overflow.SAT) {
      boolean up = increment ? step.value > 0 : step.signed ? step.value > 0 : true;
      wanted = up ? most(step) : least(step);
    }
    set(bytes, step.offset, step.width, wanted);
    return increment ? (Object) get(bytes, step.offset, step.width, step.signed) : (Object) now;
  }

  private static long most(Step step) {
    return step.signed ? (1L << (step.width - 1)) - 1 : (1L << step.width) - 1;
  }

  private static long least(Step step) {
    return step.signed ? -(1L << (step.width - 1)) : 0;
  }

  private static boolean fits(long now, Step step, long wanted, boolean increment) {
    if (increment && ((now ^ wanted) & (step.value ^ wanted)) < 0) {
      return false; // 64 bits were not enough.
    }
    return step.width == 64 || (wanted >= least(step) && wanted <= most(step));
  }

  private static List<Step> parse(byte[][] words, int from) {
    List<Step> steps = new ArrayList<>((words.length - from) / 3 + 1);
    Overflow rule = Overflow.WRAP;
    for (int at = from; at < words.length; ) {
      byte[] name = words[at];
      char kind =
          Commands.same("GET", name)
              ? 'G'
              : Commands.same("SET", name)
                  ? 'S'
                  : Commands.same("INCRBY", name)
                      ? 'I'
                      : Commands.same("OVERFLOW", name) ? 'O' : '?';
      int arguments = kind == 'O' ? 1 : kind == 'G' ? 2 : 3;
      if (kind == '?' || at + arguments >= words.length) {
        throw Reply.syntax();
      }
      if (kind == 'O') {
        rule = rule(Reply.text(words[at + 1]));
      } else {
        steps.add(step(kind, words, at, kind == 'G' ? 0 : Reply.number(words[at + 3]), rule));
      }
      at += 1 + arguments;
    }
    return steps;
  }

  private static Overflow rule(String name) {
    try {
      return Overflow.valueOf(name.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new Reply.Refusal("ERR Invalid OVERFLOW type specified");
    }
  }

  private static Step step(char kind, byte[][] words, int at, long value, Overflow rule) {
    byte[] type = words[at + 1];
    boolean signed = type.length > 0 && type[0] == 'i';
    long width = type.length < 2 || (!signed && type[0] != 'u') ? 0 : Reply.number(type, 1);
    if (width < 1 || width > (signed ? 64 : 63)) {
      throw new Reply.Refusal(
          "ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but"
              + " i64 is.");
    }
    byte[] place = words[at + 2];
    boolean counted = place.length > 0 && place[0] == '#';
    long offset = Reply.number(place, counted ? 1 : 0);
    if (offset < 0) {
      throw new Reply.Refusal("ERR bit offset is not an integer or out of range");
    }
    return new Step(kind, signed, (int) width, counted ? offset * width : offset, value, rule);
  }

  static long get(byte[] bytes, long offset, int width, boolean signed) {
    long value = 0;
    if (((offset | width) & 7) == 0) {
      for (long at = offset / 8; at < (offset + width) / 8; at++) {
        value = value << 8 | (at < bytes.length ? bytes[(int) at] & 0xff : 0);
      }
    } else {
      for (long at = offset; at < offset + width; at++) {
        value = value << 1 | bit(bytes, at);
      }
    }
    return signed && width < 64 ? value << (64 - width) >> (64 - width) : value;
  }

  static int bit(byte[] bytes, long at) {
    long index = at >> 3;
    return index < bytes.length ? bytes[(int) index] >> (7 - (at & 7)) & 1 : 0;
  }

  static void set(byte[] bytes, long offset, int width, long value) {
    if (((offset | width) & 7) == 0) {
      int at = (int) (offset / 8);
      for (int left = width - 8; left >= 0; left -= 8) {
        bytes[at++] = (byte) (value >>> left);
      }
      return;
    }
    for (int i = 0; i < width; i++) {
      long at = offset + i;
      int mask = 1 << (7 - (at & 7));
      if ((value >>> (width - 1 - i) & 1) != 0) {
        bytes[(int) (at >> 3)] |= (byte) mask;
      } else {
        bytes[(int) (at >> 3)] &= (byte) ~mask;
      }
    }
  }

  /** Combines strings; shorter ones count as if zeros followed. */
  static byte[] combine(String operation, List<byte[]> sources) {
    int length = sources.stream().mapToInt(source -> source.length).max().orElse(0);
    byte[] result = Arrays.copyOf(sources.get(0), length);
    if (operation.equals("NOT")) {
      for (int i = 0; i < length; i++) {
        result[i] = (byte) ~result[i];
      }
      return result;
    }
    for (byte[] source : sources.subList(1, sources.size())) {
      byte[] other = source.length < length ? Arrays.copyOf(source, length) : source;
      switch (operation) {
        case "OR" -> combine(result, other, (a, b) -> a | b);
        case "AND" -> combine(result, other, (a, b) -> a & b);
        case "XOR" -> combine(result, other, (a, b) -> a ^ b);
        default -> throw Reply.syntax();
      }
    }
    return result;
  }

  private static void combine(byte[] result, byte[] other, IntBinaryOperator operation) {
    for (int i = 0; i < result.length; i++) {
      result[i] = (byte) operation.applyAsInt(result[i], other[i]);
    }
  }
}
