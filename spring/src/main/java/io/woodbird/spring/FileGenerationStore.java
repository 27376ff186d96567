package io.woodbird.spring;

import io.woodbird.Filter;
import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.guard.Generation;
import io.woodbird.guard.GenerationStore;
import io.woodbird.key.KeyHasher;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Generations in memory, each saved to a file when it is complete. After a restart the file
 * confirms keys until the first build is done, and tells how many keys are plausible.
 */
final class FileGenerationStore implements GenerationStore<Object> {
  private static final Log log = LogFactory.getLog(FileGenerationStore.class);

  private final Path file;

  FileGenerationStore(Path file) {
    this.file = file;
  }

  @Override
  public MutableFilter<Object> begin(Plan<Object> plan) throws IOException {
    return GenerationStore.memory().begin(plan);
  }

  @Override
  public void publish(MutableFilter<Object> filter, Generation generation) {
    try {
      filter.save(file);
    } catch (IOException e) {
      // The filter in memory is complete; a full disk is no reason to keep the old one.
      log.warn("woodbird: the filter could not be saved to " + file, e);
    }
  }

  @Override
  public Optional<Filter<Object>> restore(KeyHasher<Object> keys) throws IOException {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
      return Optional.of(Woodbird.readFrom(in, keys));
    }
  }
}
