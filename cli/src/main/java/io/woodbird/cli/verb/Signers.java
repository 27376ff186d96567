package io.woodbird.cli.verb;

import io.woodbird.SignedFilters;
import io.woodbird.Woodbird;
import io.woodbird.cli.lines.Source;
import io.woodbird.cli.model.Call;
import io.woodbird.cli.say.Problem;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the keys that files are signed and checked with. */
final class Signers {
  private Signers() {}

  /** What opens the files that a {@code --key} signed, or null without that option. */
  static @Nullable SignedFilters trusted(Call call) throws IOException {
    List<PublicKey> keys = new ArrayList<>();
    for (String file : call.texts("key")) {
      keys.add(read(file, SignedFilters::readPublicKey));
    }
    if (keys.isEmpty()) {
      return null;
    }
    PublicKey[] more = keys.subList(1, keys.size()).toArray(new PublicKey[0]);
    return Woodbird.signedBy(keys.get(0), more);
  }

  /** The private key of {@code --key}. */
  static PrivateKey privateKey(String file) throws IOException {
    return read(file, SignedFilters::readPrivateKey);
  }

  private interface Reader<T> {
    T read(Path path) throws IOException;
  }

  private static <T> T read(String file, Reader<T> reader) throws IOException {
    Path path = Source.pathOf(file);
    try {
      return reader.read(path);
    } catch (FileSystemException e) {
      throw Source.unreadable(path, e);
    } catch (IOException e) {
      throw Problem.BAD_VALUE.failure(
          e,
          file + " is not the key that is needed.",
          String.valueOf(e.getMessage()),
          "woodbird sign --new-key key.pem (makes key.pem and key.pem.pub)");
    }
  }
}
