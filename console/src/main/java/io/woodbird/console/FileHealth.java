package io.woodbird.console;

import io.woodbird.console.shared.FileHeader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the list of files says about each: its kind, and whether it is whole. */
final class FileHealth {
  /*
   * A file is read through once, and again only when its size or its time has changed. One that is
   * larger than LARGEST is not read for the list: its state is "header" then, which says that only the
   * header was looked at. When it is opened, all of it is checked.
   */
  private static final long LARGEST = 16 << 20;

  private final Map<Path, Known> known = new HashMap<>();

  private record Known(long bytes, long modified, @Nullable String kind, String state) {}

  synchronized Map<String, Object> of(Path path) throws IOException {
    long bytes = Files.size(path);
    long modified = Files.getLastModifiedTime(path).toMillis();
    Known found = known.get(path);
    if (found == null || found.bytes != bytes || found.modified != modified) {
      found = look(path, bytes, modified);
      known.put(path, found);
    }
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("kind", found.kind);
    facts.put("state", found.state);
    return facts;
  }

  private static Known look(Path path, long bytes, long modified) {
    try {
      FileHeader header = FilesApi.header(path);
      String kind = header == null ? null : header.kind();
      if (header != null && bytes > LARGEST) {
        return new Known(bytes, modified, kind, "header");
      }
      Map<String, Object> info = new LinkedHashMap<>();
      FilesApi.look(path, header, info);
      return new Known(bytes, modified, kind, String.valueOf(info.get("state")));
    } catch (IOException e) {
      return new Known(bytes, modified, null, "unreadable"); // The others are listed all the same.
    }
  }
}
