package io.woodbird.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Filter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.TaskContext$;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which file a task asks, which one the driver, and for how long it is kept. */
final class AskedFileTest {
  private static final long OLD = 5;
  private static final long NEW = 1_000_005;

  @TempDir Path folder;
  private Path file;

  @BeforeEach
  void build() throws IOException {
    file = folder.resolve("keys.wbird");
    write(OLD);
  }

  /** Writes a filter of one key. An fpp of 2^-32 lets no other key pass by chance. */
  private void write(long key) throws IOException {
    Woodbird.frozen(Keys.longs()).bitsPerKey(32).seed(1).buildTo(file, List.of(key));
  }

  private UTF8String path() {
    return UTF8String.fromString(file.toString());
  }

  @AfterEach
  void endTask() {
    TaskContext$.MODULE$.unset();
  }

  private static void beginTask() {
    TaskContext$.MODULE$.setTaskContext(TaskContext$.MODULE$.empty());
  }

  /** The function as a task gets it. */
  private static BoundMightContain sent(BoundMightContain function)
      throws IOException, ClassNotFoundException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(function);
    }
    try (var in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return (BoundMightContain) in.readObject();
    }
  }

  @Test
  void theDriver_asksTheFileThatIsThere_alsoIfItAsksWithTheSameObjects() throws IOException {
    BoundMightContain function = new BoundMightContain(KeyColumn.LONG);
    UTF8String path = path();
    assertThat(function.invoke(path, OLD)).isTrue();
    assertThat(function.invoke(path, NEW)).isFalse();
    write(NEW);
    assertThat(function.invoke(path, NEW)).isTrue();
  }

  @Test
  void aTask_asksTheFileOfItsFirstQuestion_andTheNextTaskTheNewOne()
      throws IOException, ClassNotFoundException {
    beginTask();
    BoundMightContain function = new BoundMightContain(KeyColumn.LONG);
    // More tasks at once than any table of recent ones would hold.
    List<BoundMightContain> tasks = new ArrayList<>();
    List<UTF8String> paths = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      tasks.add(sent(function));
      paths.add(path());
      assertThat(tasks.get(i).invoke(paths.get(i), OLD)).isTrue();
    }
    write(NEW);
    for (int i = 0; i < 1000; i++) {
      if (!tasks.get(i).invoke(paths.get(i), OLD) || tasks.get(i).invoke(paths.get(i), NEW)) {
        throw new AssertionError(
            "task " + i + " has begun with the old file, and asks the new one");
      }
    }
    assertThat(sent(tasks.get(0)).invoke(path(), NEW)).isTrue();
  }

  @Test
  void pathsThatChangeWithinATask_areEachAsked() throws IOException {
    beginTask();
    BoundMightContain function = new BoundMightContain(KeyColumn.LONG);
    UTF8String first = path();
    assertThat(function.invoke(first, OLD)).isTrue();
    file = folder.resolve("other.wbird");
    write(NEW);
    UTF8String second = path();
    assertThat(function.invoke(second, NEW)).isTrue();
    assertThat(function.invoke(second, OLD)).isFalse();
    assertThat(function.invoke(first, OLD)).isTrue();
  }

  @Test
  void aFilterThatNobodyAsks_isGivenUpWhenMemoryIsShort() {
    WeakReference<Filter<Long>> kept = new WeakReference<>(OpenFilters.LONGS.ask(path()).filter());
    assertThatThrownBy(() -> assertThat(new long[Integer.MAX_VALUE - 8]).isNull())
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(kept.get()).isNull();
    assertThat(new BoundMightContain(KeyColumn.LONG).invoke(path(), OLD)).isTrue();
  }

  @Test
  void functions_areEqualIfTheyAskAboutTheSameKeys() {
    assertThat(new BoundMightContain(KeyColumn.LONG))
        .isEqualTo(new BoundMightContain(KeyColumn.LONG))
        .hasSameHashCodeAs(new BoundMightContain(KeyColumn.LONG))
        .isNotEqualTo(new BoundMightContain(KeyColumn.STRING));
  }
}
