package io.woodbird.testkit.frozen;

import io.woodbird.Filter;
import io.woodbird.FrozenBuilder;
import io.woodbird.Woodbird;
import io.woodbird.key.KeyHasher;
import java.io.ByteArrayOutputStream;
import java.io.IOException;

/** The two kinds of frozen filters. */
enum Kind {
  RIBBON,
  FUSE;

  <K> FrozenBuilder<K> of(KeyHasher<K> keys) {
    FrozenBuilder<K> builder = Woodbird.frozen(keys);
    return this == RIBBON ? builder.smallest() : builder.fastToAsk();
  }

  static byte[] bytes(Filter<?> filter) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    filter.writeTo(out);
    return out.toByteArray();
  }
}
