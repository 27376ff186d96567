package io.woodbird.redis.link;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Takes a reply of any kind. */
public final class LettuceReply extends CommandOutput<byte[], byte[], @Nullable Object> {
  private final Deque<Open> open = new ArrayDeque<>();

  private record Open(List<@Nullable Object> list, int count) {}

  public LettuceReply() {
    super(ByteArrayCodec.INSTANCE, null);
  }

  private void take(@Nullable Object value) {
    if (open.isEmpty()) {
      output = value;
    } else {
      open.peek().list().add(value);
    }
  }

  @Override
  public void set(ByteBuffer bytes) {
    byte[] copy = null;
    if (bytes != null) {
      copy = new byte[bytes.remaining()];
      bytes.get(copy);
    }
    take(copy);
  }

  @Override
  public void set(long integer) {
    take(integer);
  }

  @Override
  public void set(double number) {
    take(Command.bytes(Double.toString(number)));
  }

  @Override
  public void set(boolean value) {
    take(value ? 1L : 0L);
  }

  @Override
  public void multi(int count) {
    List<@Nullable Object> list = new ArrayList<>(Math.max(count, 0));
    take(list);
    if (count > 0) {
      open.push(new Open(list, count));
    }
  }

  @Override
  public void complete(int depth) {
    while (!open.isEmpty()
        && open.peek().list().size() == open.peek().count()
        && open.size() > depth) {
      open.pop();
    }
  }
}
