package io.woodbird.console;

import io.woodbird.Answer;
import io.woodbird.CorruptFilterException;
import io.woodbird.FilterStats;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.console.shared.FileHeader;
import io.woodbird.console.shared.IdOnly;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The filter files of one folder: what they are, what they answer, and what is wrong with them. */
final class FilesApi {
  /*
   * A name in a request is never made into a path. It is compared with the names of the files in the
   * folder, so that no name leads out of it; links are not followed.
   */
  private static final int MAX_FILES = 1000;
  private static final long VERIFY_LIMIT = 256 << 20;

  private final @Nullable Path folder;
  private final FileHealth health = new FileHealth();

  FilesApi(@Nullable Path folder) {
    this.folder = folder;
  }

  /** The files, by name. */
  Map<String, Object> list() throws IOException {
    List<Map<String, Object>> files = new ArrayList<>();
    List<Path> paths = paths();
    for (Path path : paths.subList(0, Math.min(MAX_FILES, paths.size()))) {
      Map<String, Object> file = new LinkedHashMap<>();
      file.put("name", name(path));
      file.put("bytes", Files.size(path));
      file.put("modified", Files.getLastModifiedTime(path).toMillis());
      file.putAll(health.of(path));
      files.add(file);
    }
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("folder", folder == null ? null : folder.toString());
    answer.put("files", files);
    answer.put("left", paths.size() - files.size());
    return answer;
  }

  private List<Path> paths() throws IOException {
    List<Path> paths = new ArrayList<>();
    if (folder == null) {
      return paths;
    }
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
      for (Path path : entries) {
        if (name(path).endsWith(".wbird") && Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
          paths.add(path);
        }
      }
    }
    paths.sort(Comparator.comparing(FilesApi::name));
    return paths;
  }

  private static String name(Path path) {
    return String.valueOf(path.getFileName());
  }

  private Path find(Map<String, String> parameters) throws IOException, BadRequestException {
    String wanted = parameters.get("name");
    for (Path path : paths()) {
      if (name(path).equals(wanted)) {
        return path;
      }
    }
    throw new BadRequestException("noFile", "there is no such file in the folder");
  }

  /** Everything about one file. */
  Map<String, Object> info(Map<String, String> parameters) throws IOException, BadRequestException {
    Path path = find(parameters);
    Map<String, Object> info = new LinkedHashMap<>();
    info.put("name", name(path));
    info.put("bytes", Files.size(path));
    info.put("modified", Files.getLastModifiedTime(path).toMillis());
    FileHeader header = header(path);
    if (header != null) {
      describe(info, header);
    }
    look(path, header, info);
    return info;
  }

  /** What the header says; null if it is not one, or damaged. */
  static @Nullable FileHeader header(Path path) throws IOException {
    try (InputStream in = Files.newInputStream(path)) {
      byte[] bytes = in.readNBytes(FileHeader.BYTES);
      if (bytes.length < FileHeader.BYTES || !FileHeader.isStartOfFilter(bytes)) {
        return null;
      }
      FileHeader header = FileHeader.of(bytes);
      return header.intact() ? header : null;
    }
  }

  private static void describe(Map<String, Object> info, FileHeader header) {
    info.put("kind", header.kind());
    info.put("windowSeconds", header.windowSeconds());
    info.put("format", header.version());
    info.put("keyId", header.keyId());
    info.put("keyKind", Questions.KeyKind.of(header.keyId()).name());
    info.put("seed", String.format(Locale.ROOT, "%016x", header.seed()));
    info.put("expectedKeys", header.expectedKeys());
    info.put("keyCount", header.keyCount());
    info.put("dataBytes", header.dataBytes());
    info.put("pages", header.pages());
  }

  /** Opens the file like any program, checks all of it if it is small, and describes the result. */
  static void look(Path path, @Nullable FileHeader header, Map<String, Object> info)
      throws IOException {
    String keyId = header == null ? Keys.strings().id() : header.keyId();
    try (OpenFilter<?> filter = Woodbird.open(path, new IdOnly<String>(keyId))) {
      boolean verified = filter.sizeInBytes() <= VERIFY_LIMIT;
      info.put("verified", verified);
      info.put("state", "whole");
      if (verified) {
        try {
          filter.verify();
        } catch (CorruptFilterException e) {
          info.put("state", "damaged");
          info.put("problem", message(e, path));
        }
      }
      info.put("stats", describe(filter.stats()));
    } catch (CorruptFilterException e) {
      info.put("state", "refused");
      info.put("problem", message(e, path));
    } catch (IncompatibleFilterException e) {
      info.put("state", header == null ? "foreign" : notAsked(header));
      info.put("problem", message(e, path));
    }
  }

  /** Why a whole file is no filter that can be asked here: by what it holds, or by its version. */
  private static String notAsked(FileHeader header) {
    return switch (header.kind()) {
      case "scheme", "delta" -> header.kind();
      case "foreign" -> "program";
      default -> "foreign";
    };
  }

  private static Map<String, Object> describe(FilterStats stats) {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("layout", stats.layout());
    facts.put("bits", stats.bits());
    facts.put("expectedKeys", stats.expectedKeys());
    facts.put("estimatedKeys", stats.estimatedKeys());
    facts.put("fill", stats.fill());
    facts.put("promisedFpp", stats.promisedFpp());
    facts.put("currentFpp", stats.currentFpp());
    facts.put("overfull", stats.overfull());
    facts.put("doubts", stats.doubts());
    return facts;
  }

  /** The message without the path: the page shows the name already. */
  private static String message(Exception e, Path path) {
    return String.valueOf(e.getMessage()).replace(path + ": ", "");
  }

  /** Asks a file about a key. A file that can't be opened knows nothing. */
  Map<String, Object> ask(Map<String, String> form) throws IOException, BadRequestException {
    Path path = find(form);
    String key = form.getOrDefault("key", "");
    FileHeader header = header(path);
    String problem = "";
    Answer answer = Answer.UNKNOWN;
    try {
      answer = Questions.ask(path, header == null ? "" : header.keyId(), key);
    } catch (CorruptFilterException | IncompatibleFilterException e) {
      problem = message(e, path);
    }
    return Map.of("answer", answer.name(), "problem", problem);
  }

  /** Asks a file about many keys, one in a line: one letter for each answer. */
  Map<String, Object> askAll(Map<String, String> form) throws IOException, BadRequestException {
    Path path = find(form);
    List<String> keys = form.getOrDefault("keys", "").lines().toList();
    FileHeader header = header(path);
    try {
      String keyId = header == null ? "" : header.keyId();
      return Map.of("answers", Questions.askAll(path, keyId, keys), "problem", "");
    } catch (CorruptFilterException | IncompatibleFilterException e) {
      return Map.of("answers", Questions.UNKNOWN.repeat(keys.size()), "problem", message(e, path));
    }
  }

  /** How full each part of a file is. */
  Map<String, Object> heat(Map<String, String> parameters) throws IOException, BadRequestException {
    Path path = find(parameters);
    FileHeader header = header(path);
    try (FileChannel file = FileChannel.open(path)) {
      if (header == null || header.dataBytes() <= 0 || header.dataBytes() > file.size()) {
        throw new BadRequestException(
            "notWhole", "there is nothing to draw: the file is not whole");
      }
      return HeatMap.of(file, header);
    }
  }
}
