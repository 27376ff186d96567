package io.woodbird.file;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a program did to the files of one folder, in order, with every byte that it wrote. */
public final class DiskRecord {
  /** A step. A file is a number: it keeps it when its name changes. */
  public sealed interface Step {}

  /** Bytes were written at a position. */
  public record Wrote(int file, long at, byte[] bytes) implements Step {}

  /** The file got another length. */
  public record Cut(int file, long length) implements Step {}

  /** The bytes of a file were forced to disk. */
  public record Forced(int file) implements Step {}

  /** The names in the folder were forced to disk. */
  public record ForcedNames() implements Step {}

  /** A name was made, or given to another file; the old name is null or is gone. */
  public record Named(String name, int file, @Nullable String old) implements Step {}

  /** A name was removed. */
  public record Removed(String name) implements Step {}

  /** The program said something. */
  public record Said(String text) implements Step {}

  private static final Pattern CALL = Pattern.compile("(\\d+) +(\\w+)\\((.*)\\) += (\\d+).*");
  private static final Pattern UNFINISHED =
      Pattern.compile("(\\d+) +(\\w+)\\((.*) <unfinished \\.\\.\\.>");
  private static final Pattern RESUMED =
      Pattern.compile("(\\d+) +<\\.\\.\\. (\\w+) resumed>(.*)\\) += (\\d+).*");
  private static final Pattern TEXT = Pattern.compile("\"((?:\\\\x[0-9a-f]{2})*)\"");

  private final String folder;
  private final List<Step> steps = new ArrayList<>();
  private final Map<String, Integer> names = new HashMap<>();
  private final Map<String, String> paths = new HashMap<>(); // By descriptor.
  private final Map<String, Integer> open = new HashMap<>();
  private final Map<String, Long> positions = new HashMap<>();
  private final Map<String, String> begun = new HashMap<>(); // By thread.
  private int files;

  private DiskRecord(Path folder) {
    this.folder = folder.toString();
  }

  /** Runs a program and returns its steps. Files that were there before are the first steps. */
  public static List<Step> of(List<String> program, Path folder, Path log)
      throws IOException, InterruptedException {
    DiskRecord record = new DiskRecord(folder);
    try (var found = Files.list(folder)) {
      for (Path path : found.sorted().toList()) {
        int file = record.make(path.getFileName().toString());
        record.steps.add(new Wrote(file, 0, Files.readAllBytes(path)));
        record.steps.add(new Forced(file));
      }
    }
    record.steps.add(new ForcedNames());
    Strace.record(program, log);
    try (var lines = Files.lines(log, StandardCharsets.ISO_8859_1)) {
      lines.forEach(record::line);
    }
    return record.steps;
  }

  private void line(String line) {
    Matcher call = CALL.matcher(line);
    Matcher unfinished = UNFINISHED.matcher(line);
    Matcher resumed = RESUMED.matcher(line);
    if (unfinished.matches()) {
      begun.put(unfinished.group(1), unfinished.group(3));
    } else if (resumed.matches()) {
      String arguments = begun.remove(resumed.group(1));
      take(
          resumed.group(2),
          (arguments == null ? "" : arguments) + resumed.group(3),
          resumed.group(4));
    } else if (call.matches()) {
      take(call.group(2), call.group(3), call.group(4));
    }
  }

  private void take(String call, String arguments, String result) {
    List<String> texts = new ArrayList<>();
    Matcher matcher = TEXT.matcher(arguments);
    while (matcher.find()) {
      texts.add(matcher.group(1));
    }
    String first = arguments.split(",")[0].strip();
    String[] all = TEXT.matcher(arguments).replaceAll("text").split(", *");
    switch (call) {
      case "openat" -> opened(name(texts.get(0)), arguments, result);
      case "lseek" -> positions.put(first, Long.parseLong(result));
      case "write" -> {
        if (first.equals("1")) {
          steps.add(new Said(new String(bytes(texts.get(0)), StandardCharsets.UTF_8)));
        } else if (open.containsKey(first)) {
          long at = positions.getOrDefault(first, 0L);
          wrote(first, at, texts.get(0), Integer.parseInt(result));
          positions.put(first, at + Integer.parseInt(result));
        }
      }
      case "pwrite64" -> {
        if (open.containsKey(first)) {
          wrote(first, Long.parseLong(all[3]), texts.get(0), Integer.parseInt(result));
        }
      }
      case "ftruncate" -> {
        if (open.containsKey(first)) {
          steps.add(new Cut(open.get(first), Long.parseLong(all[1])));
        }
      }
      case "fsync", "fdatasync" -> forced(first);
      case "close" -> {
        open.remove(first);
        paths.remove(first);
      }
      case "rename", "renameat", "renameat2" -> renamed(name(texts.get(0)), name(texts.get(1)));
      case "unlink", "unlinkat" -> {
        String name = name(texts.get(0));
        if (names.remove(name) != null) {
          steps.add(new Removed(name));
        }
      }
      default -> {}
    }
  }

  private void opened(String name, String arguments, String descriptor) {
    positions.put(descriptor, 0L);
    open.remove(descriptor);
    paths.put(descriptor, name);
    if (name.isEmpty() || name.startsWith("/")) {
      return; // The folder, or what is none of our business.
    }
    if (!names.containsKey(name) && arguments.contains("O_CREAT")) {
      make(name);
    }
    Integer file = names.get(name);
    if (file != null) {
      open.put(descriptor, file);
      if (arguments.contains("O_TRUNC")) {
        steps.add(new Cut(file, 0));
      }
    }
  }

  private int make(String name) {
    files++;
    names.put(name, files);
    steps.add(new Named(name, files, null));
    return files;
  }

  private void wrote(String descriptor, long at, String text, int count) {
    byte[] bytes = bytes(text);
    if (bytes.length != count) {
      throw new AssertionError("recorded are " + bytes.length + " of " + count + " bytes");
    }
    steps.add(new Wrote(open.get(descriptor), at, bytes));
  }

  private void forced(String descriptor) {
    if (open.containsKey(descriptor)) {
      steps.add(new Forced(open.get(descriptor)));
    } else if ("".equals(paths.get(descriptor))) {
      steps.add(new ForcedNames());
    }
  }

  private void renamed(String from, String to) {
    Integer file = names.remove(from);
    if (file != null) {
      names.put(to, file);
      steps.add(new Named(to, file, from));
    }
  }

  /** The name in the folder; "" for the folder itself, the whole path for all others. */
  private String name(String text) {
    String path = new String(bytes(text), StandardCharsets.UTF_8);
    if (path.equals(folder)) {
      return "";
    }
    return path.startsWith(folder + "/") ? path.substring(folder.length() + 1) : path;
  }

  private static byte[] bytes(String text) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length() / 4);
    for (int i = 2; i < text.length(); i += 4) {
      bytes.write(
          Character.digit(text.charAt(i), 16) << 4 | Character.digit(text.charAt(i + 1), 16));
    }
    return bytes.toByteArray();
  }
}
