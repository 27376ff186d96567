package io.woodbird.testkit.bloom;

import io.woodbird.BloomFilter;
import io.woodbird.Filter;
import io.woodbird.Woodbird;
import io.woodbird.testkit.BloomLayout;
import io.woodbird.testkit.FilterContract;
import io.woodbird.testkit.TestKeys;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;

/** A Bloom filter that was written and read again is the same filter. */
@ParameterizedClass(name = "{0}, fpp {1}, wrapped {2}")
@CsvSource({
  "BLOCKED, 0.1, false", "BLOCKED, 1e-4, false", "CLASSIC, 0.01, false",
  "BLOCKED, 0.01, true", "BLOCKED, 1e-6, true", "CLASSIC, 0.01, true"
})
final class StoredBloomContractTest extends FilterContract<String> {
  private final BloomLayout layout;
  private final boolean wrapped;

  StoredBloomContractTest(BloomLayout layout, double fpp, boolean wrapped) {
    super(TestKeys.strings(), fpp);
    this.layout = layout;
    this.wrapped = wrapped;
  }

  @Override
  protected Filter<String> filterOf(List<String> present, double fpp, long seed) {
    BloomFilter<String> filter =
        layout
            .of(Woodbird.bloom(keys().hasher(), Math.max(1, present.size())).fpp(fpp))
            .seed(seed)
            .build();
    filter.putAll(present);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      filter.writeTo(out);
      return wrapped
          ? Woodbird.wrap(ByteBuffer.wrap(out.toByteArray()), keys().hasher())
          : Woodbird.readFrom(new ByteArrayInputStream(out.toByteArray()), keys().hasher());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
