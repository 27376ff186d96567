package io.woodbird.console;

import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import org.jspecify.annotations.Nullable;

/** The body of an answer as text, which fails when it has more than so many bytes. */
final class LimitedBody implements BodySubscriber<String> {
  private final BodySubscriber<String> text = BodySubscribers.ofString(StandardCharsets.UTF_8);
  private @Nullable Subscription subscription;
  private long left;

  LimitedBody(long most) {
    left = most;
  }

  @Override
  public CompletionStage<String> getBody() {
    return text.getBody();
  }

  @Override
  public void onSubscribe(Subscription value) {
    subscription = value;
    text.onSubscribe(value);
  }

  @Override
  public void onNext(List<ByteBuffer> parts) {
    if (left < 0) {
      return; // Some may come after it was cancelled.
    }
    for (ByteBuffer part : parts) {
      left -= part.remaining();
    }
    if (left >= 0) {
      text.onNext(parts);
    } else {
      Objects.requireNonNull(subscription).cancel();
      text.onError(new IOException("the answer is too long"));
    }
  }

  @Override
  public void onError(Throwable failure) {
    text.onError(failure);
  }

  @Override
  public void onComplete() {
    text.onComplete();
  }
}
