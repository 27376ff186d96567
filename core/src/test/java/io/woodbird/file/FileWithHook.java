package io.woodbird.file;

import io.woodbird.words.BufferWords;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A file that calls back when it was closed, and its filter does not know that yet. */
public final class FileWithHook extends StoredFile {
  private final StoredFile file;
  private final AtomicReference<Runnable> afterClose;

  public FileWithHook(StoredFile file, AtomicReference<Runnable> afterClose) {
    super(file.frame(), file.pages(), new BufferWords(new ByteBuffer[0], 0, 0));
    this.file = file;
    this.afterClose = afterClose;
  }

  @Override
  public void close() {
    file.close();
    afterClose.get().run();
  }

  @Override
  public StoredFile withoutPages() {
    return new FileWithHook(file.withoutPages(), afterClose);
  }

  @Override
  public void whenComplete(Runnable task) {
    file.whenComplete(task);
  }

  @Override
  public byte[] reference() throws IOException {
    return file.reference();
  }

  @Override
  byte @Nullable [] signature() throws IOException {
    return file.signature();
  }

  @Override
  public boolean ended() {
    return file.ended();
  }

  @Override
  public long get(long word) {
    return file.get(word);
  }

  @Override
  public boolean readable(long word) {
    return file.readable(word);
  }

  @Override
  int check(int page, int state) {
    return file.check(page, state);
  }

  @Override
  boolean verify(int page, byte[] buffer) {
    return file.verify(page, buffer);
  }

  @Override
  @Nullable String change() {
    return file.change();
  }

  @Override
  boolean isClosed() {
    return file.isClosed();
  }
}
