package io.woodbird.console;

import io.woodbird.Answer;
import io.woodbird.CorruptFilterException;
import io.woodbird.FilterStats;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.console.shared.FileHeader;
import io.woodbird.console.shared.IdOnly;
import io.woodbird.key.KeyForm;
import io.woodbird.key.KeyHasher;
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
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
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
    throw new BadRequestException("there is no such file in the folder");
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
  private static @Nullable FileHeader header(Path path) throws IOException {
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
    info.put("keyKind", KeyKind.of(header.keyId()).name());
    info.put("seed", String.format("%016x", header.seed()));
    info.put("expectedKeys", header.expectedKeys());
    info.put("keyCount", header.keyCount());
    info.put("dataBytes", header.dataBytes());
    info.put("pages", header.pages());
  }

  /** Opens the file like any program, checks all of it if it is small, and describes the result. */
  private static void look(Path path, @Nullable FileHeader header, Map<String, Object> info)
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
      info.put("state", "foreign");
      info.put("problem", message(e, path));
    }
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
      answer = ask(path, header == null ? "" : header.keyId(), key);
    } catch (CorruptFilterException | IncompatibleFilterException e) {
      problem = message(e, path);
    }
    return Map.of("answer", answer.name(), "problem", problem);
  }

  private static Answer ask(Path path, String keyId, String key)
      throws IOException, BadRequestException {
    return switch (KeyKind.of(keyId)) {
      case TEXT -> ask(path, named(keyId, texts(keyId)), key);
      case INTEGER -> ask(path, named(keyId, Keys.longs()), integer(key));
      case UUID -> ask(path, named(keyId, Keys.uuids()), uuid(key));
      case SECRET ->
          throw new IncompatibleFilterException(
              "its keys are hashed under a secret or by a hasher that the console does not have");
    };
  }

  private static <K> Answer ask(Path path, KeyHasher<K> keys, K key)
      throws IOException, BadRequestException {
    try (OpenFilter<K> filter = Woodbird.open(path, keys)) {
      return filter.ask(key);
    } catch (IllegalArgumentException e) {
      throw new BadRequestException(String.valueOf(e.getMessage())); // No hexadecimal, for example.
    }
  }

  /** Texts in the form that the id names, if it names one. */
  private static KeyHasher<String> texts(String keyId) {
    String kind = KeyKind.withoutName(keyId);
    for (KeyForm form : KeyForm.values()) {
      if (kind.equals(Keys.strings(form).id())) {
        return Keys.strings(form);
      }
    }
    return Keys.strings();
  }

  /** The keys under the name of a property, if the id has one: the page asks with the property. */
  private static <K> KeyHasher<K> named(String keyId, KeyHasher<K> keys) {
    int name = keyId.indexOf('#') + 1;
    return name == 0 ? keys : Keys.by(keyId.substring(name), Function.identity(), keys);
  }

  private static Long integer(String key) throws BadRequestException {
    try {
      return Long.valueOf(key.strip());
    } catch (NumberFormatException e) {
      throw new BadRequestException("this file has whole numbers as keys");
    }
  }

  private static UUID uuid(String key) throws BadRequestException {
    try {
      return UUID.fromString(key.strip());
    } catch (IllegalArgumentException e) {
      throw new BadRequestException("this file has UUIDs as keys");
    }
  }

  /** How full each part of a file is. */
  Map<String, Object> heat(Map<String, String> parameters) throws IOException, BadRequestException {
    Path path = find(parameters);
    FileHeader header = header(path);
    try (FileChannel file = FileChannel.open(path)) {
      if (header == null || header.dataBytes() <= 0 || header.dataBytes() > file.size()) {
        throw new BadRequestException("there is nothing to draw: the file is not whole");
      }
      return HeatMap.of(file, header);
    }
  }

  /** What the keys of a file are, as its key id says. */
  enum KeyKind {
    TEXT,
    INTEGER,
    UUID,
    SECRET;

    static KeyKind of(String keyId) {
      String kind = withoutName(keyId);
      if (kind.equals(texts(keyId).id())) {
        return TEXT;
      }
      if (kind.equals(Keys.longs().id())) {
        return INTEGER;
      }
      return kind.equals(Keys.uuids().id()) ? UUID : SECRET;
    }

    /** Without the name of a property, which is behind a #. */
    private static String withoutName(String keyId) {
      return keyId.replaceFirst("#.*", "");
    }
  }
}
